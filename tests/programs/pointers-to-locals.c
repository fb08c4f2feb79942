/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pointers-to-locals.c - addresses of shared and private locals handed about and written through.
 */
#include <omp.h>
#include <stdio.h>

struct link {
	int *target;
	struct link *next;
};

static int *published;
static long results[64];

static void add(int *where, int amount)
{
	*where += amount;
}

static void region(int *outer, int depth)
{
	int local = 10, array[8] = {0}, *alias = &local;
	struct link second = {&array[7], NULL}, first = {&array[0], &second};

	published = &array[3];
#pragma omp parallel
	{
		int own = omp_get_thread_num(), *mine = &own;

		add(mine, 5);
		results[omp_get_thread_num()] = *mine;
#pragma omp single
		{
			add(alias, depth);
			add(published, 33);
			for (struct link *link = &first; link; link = link->next)
				add(link->target, 7);
		}
#pragma omp master
		add(outer, local);
	}
	printf("%d %d %d %d %d\n", local, array[0], array[3], array[7], *outer);
	if (depth > 0) {
		region(&local, depth - 1);
		printf("after %d: %d\n", depth, local);
	}
}

int main(void)
{
	int outer = 1000;

	region(&outer, 4);
	printf("%d", outer);
	for (int i = 0; i < omp_get_max_threads(); i++)
		printf(" %ld", results[i]);
	putchar('\n');
	return 0;
}
