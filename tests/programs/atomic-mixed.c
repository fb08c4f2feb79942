/* SPDX-License-Identifier: GPL-2.0-or-later */
/* atomic-mixed.c - atomics beside criticals, barriers, reductions, private and heap variables. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	int count;
	char flag;
	short total;
	struct node *next;
};

static int table[40], checked;

static void count_in(struct node *node, int by)
{
#pragma omp atomic
	node->count += by;
#pragma omp atomic
	node->total++;
}

int main(void)
{
	struct node *first = NULL;
	long *heap = calloc(10, sizeof(*heap));
	int sum = 0, wrong = 0, index_of = 0;
	int threads = omp_get_max_threads();

	for (int i = 0; i < 5; i++) {
		struct node *node = calloc(1, sizeof(*node));

		node->next = first;
		first = node;
	}
#pragma omp parallel reduction(+ : sum, wrong)
	{
		int mine = 0;

		for (int round = 0; round < 4; round++) {
#pragma omp for
			for (int i = 0; i < 40; i++) {
				/* A private variable may be updated atomically, too. */
#pragma omp atomic
				mine += i;
#pragma omp atomic
				table[i * 3 % 40] += i;
#pragma omp atomic
				heap[i % 10]++;
				for (struct node *node = first; node; node = node->next)
					count_in(node, i % 3);
			}
			wrong += heap[3] != 4 * (round + 1);
#pragma omp critical
			index_of += table[index_of % 40] != 0;
#pragma omp barrier
			/* A plain write between two barriers, by one thread, then updates. */
#pragma omp single
			table[0] = 500;
#pragma omp atomic
			table[0]++;
#pragma omp barrier
			wrong += table[0] != 500 + threads;
#pragma omp barrier
		}
		sum += mine;
#pragma omp atomic update
		checked++;
	}
	printf("%d %d %d %d\n", sum, wrong, checked == threads, index_of > 0);
	table[0] -= threads;
	for (int i = 0; i < 40; i++)
		printf("%d ", table[i]);
	for (int i = 0; i < 10; i++)
		printf("%ld ", heap[i]);
	while (first) {
		struct node *next = first->next;

		printf("%d/%d/%d ", first->count, first->flag, first->total);
		free(first);
		first = next;
	}
	putchar('\n');
	free(heap);
	return 0;
}
