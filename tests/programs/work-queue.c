/* SPDX-License-Identifier: GPL-2.0-or-later */
/* work-queue.c - threads take work that makes more work, until nothing is left and nobody works. */
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

struct work {
	int depth, number;
	struct work *next;
};

static struct work *stack;
static int busy, finished;
static long visited, checksum;

static void push(int depth, int number)
{
	struct work *work = malloc(sizeof(*work));

	work->depth = depth;
	work->number = number;
#pragma omp critical(stack)
	{
		work->next = stack;
		stack = work;
	}
}

/* NULL when there is nothing now; counts the taker as busy otherwise. */
static struct work *take(void)
{
	struct work *work;

#pragma omp critical(stack)
	{
		work = stack;
		if (work) {
			stack = work->next;
			busy++;
		} else if (!busy) {
			finished = 1;
		}
	}
	return work;
}

int main(void)
{
	int done = 0;

	push(0, 1);
#pragma omp parallel firstprivate(done)
	while (!done) {
		struct work *work = take();

		if (work) {
			if (work->depth < 5)
				for (int i = 0; i < 2 + work->number % 2; i++)
					push(work->depth + 1, work->number * 3 + i);
#pragma omp atomic
			visited++;
#pragma omp atomic
			checksum += work->number;
			free(work);
#pragma omp critical(stack)
			busy--;
		} else {
			sched_yield();
		}
#pragma omp critical(stack)
		done = finished;
	}
	printf("%ld %ld %d\n", visited, checksum, stack == NULL);
	return 0;
}
