// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many.c - more nodes than a word has bits: each writes pages of its own, which the next one, and
 * one half of all nodes away, read, and now and then all; and pages that it holds with its
 * neighbours.
 *
 * Prints how many values were wrong.
 */
#include <omp.h>
#include <stdio.h>

#define NODES 1024
#define WORDS 1024 /* of a node: two pages */
#define PART  128  /* of those that neighbours write, too */
#define STEPS 4

static unsigned long own[NODES][WORDS] __attribute__((aligned(4096)));
static unsigned long joint[NODES][PART] __attribute__((aligned(4096)));

static unsigned long value(int node, int step, int i)
{
	return (unsigned long)node << 32 | (unsigned long)step << 16 | (unsigned long)i;
}

static int wrong_of(int node, int step)
{
	int wrong = 0;

	for (int i = 0; i < WORDS; i++)
		wrong += own[node][i] != value(node, step, i);
	return wrong;
}

static int wrong_around(int node, int step, int nodes)
{
	int wrong = 0;

	for (int i = 0; i < PART; i++)
		wrong += joint[node][i] != value(node, step, i) ||
			 joint[(node + 1) % nodes][i] != value((node + 1) % nodes, step, i);
	return wrong;
}

int main(void)
{
	int wrong = 0;

	for (int step = 1; step <= STEPS; step++) {
#pragma omp parallel reduction(+ : wrong)
		{
			int node = omp_get_thread_num(), nodes = omp_get_num_threads();

			for (int i = 0; i < WORDS; i++)
				own[node][i] = value(node, step, i);
			for (int i = 0; i < PART; i++)
				joint[node][i] = value(node, step, i);
#pragma omp barrier
			wrong += wrong_of((node + 1) % nodes, step);
			wrong += wrong_of((node + nodes / 2) % nodes, step);
			wrong += wrong_around(node, step, nodes);
			if (step % 2)
				wrong += wrong_of(nodes - 1, step);
		}
	}
	printf("%d wrong\n", wrong);
	return 0;
}
