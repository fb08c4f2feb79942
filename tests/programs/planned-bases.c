/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-bases.c - sequential code fills arrays that known loops only read, and that something
 * unknown changes later in the same region, or not at all; variables beside them change meanwhile.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 20000, ROUNDS = 6 };

static long table[COUNT], sums[COUNT], beside, total, turn;
static long *heap;

/* Nobody knows where this leads. */
static long *find(int which)
{
	return which % 2 ? table : heap;
}

static void fill(int round)
{
	for (int i = 0; i < COUNT; i++) {
		table[i] = i * (round + 1L) % 1009;
		heap[i] = table[i] / 2 + round;
	}
	beside = round;
	turn += 2;
}

/* Known from begin to end. */
static void add(int round)
{
	long own = 0;

#pragma omp parallel reduction(+ : own)
	{
#pragma omp for
		for (int i = 0; i < COUNT; i++)
			sums[i] += table[i] + heap[COUNT - 1 - i];
#pragma omp for
		for (int i = 0; i < COUNT; i++)
			own += sums[i] % 7;
#pragma omp single
		{
			turn += beside + round;
			table[round] += 5;
		}
#pragma omp for reduction(+ : total)
		for (int i = 0; i < COUNT; i++)
			total += table[i] * (sums[COUNT - 1 - i] % 3);
	}
	beside += own % 11;
}

/* After a known loop some threads write somewhere. */
static void change(int round)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), team = omp_get_num_threads();
		long *there;

#pragma omp for
		for (int i = 0; i < COUNT; i++)
			sums[i] += table[i];
		there = find(round);
		for (int i = me * (COUNT / team); i < me * (COUNT / team) + 3; i++)
			there[i] = there[i] * 2 + 1 - (i >= (COUNT / team) * me);
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < COUNT; i++)
			sums[i] += heap[i] - there[i];
#pragma omp critical
		there[7 + round] += 3;
#pragma omp barrier
		if (there[7 + round] < 3 * team)
			printf("thread %d: %ld\n", me, there[7 + round]);
#pragma omp barrier
		for (int i = COUNT / 2 + me; i < COUNT; i += team)
			there[i] += i;
#pragma omp barrier
		/* Whoever writes here last says how many they are. */
#pragma omp master
		there[7 + round] -= 3 * team;
	}
}

/* Of all, without what hangs on the number of threads. */
static unsigned long number(const long *from)
{
	unsigned long result = 7;

	for (int i = COUNT / 2; i < COUNT; i++)
		result = result * 31 + (unsigned long)from[i];
	return result;
}

int main(void)
{
	heap = malloc(COUNT * sizeof(*heap));
	for (int round = 0; round < ROUNDS; round++) {
		fill(round);
		add(round);
		if (round % 3)
			change(round);
		add(round);
		printf("%d: %ld %ld %lx %lx\n", round, beside, turn, number(table) % 99991,
		       number(heap) % 99991);
	}
	free(heap);
	return 0;
}
