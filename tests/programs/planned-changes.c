// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Static variables that threads change between a known loop and the next sync point: all of them
 * alike, or one alone, beside what loops write, and on pages of their own.
 */
#include <omp.h>
#include <stdio.h>

#define N      5000
#define ROUNDS 50

static double before[3], a[N], b[N];
static int beside = 1, rounds, limit = N;
static double apart[2048], sum, last;
static long far[4096];
static unsigned char small[8192], one;

/* All threads store the same, at the end of the region. */
static void ends(int round)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < N; i++)
			a[i] = b[N - 1 - i] / 2 + i % 7 + round;
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < N; i++)
			sum += a[i] * 0.001;
#pragma omp for nowait
		for (int i = 0; i < N; i++)
			b[i] = a[i] - b[i] / 4 + (int)sum % 3;
		rounds = round + 1;
		beside = round * 3 + rounds;
	}
}

/* The first thread alone, and what follows depends on it. */
static double bounds(int round)
{
	double found = 0;

#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < limit; i++)
			b[i] += a[i] / 8;
#pragma omp master
		{
			limit = N / 2 + 37 * round % 1999;
			last = round / 3.0;
		}
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < limit; i++)
			a[N - 1 - i] = b[i] / 2 + beside % 5 + last;
		if (omp_get_thread_num() == round % omp_get_num_threads())
			one = (unsigned char)(one + round);
#pragma omp barrier
#pragma omp for reduction(+ : found)
		for (int i = 0; i < N; i++)
			found += (a[i] + b[i]) * (one % 3 + 1);
	}
	return found;
}

/* Pages that one node has, and that change with what is on them. */
static void around(int round)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < 2048; i++)
			apart[i] += i % (round + 2);
		if (round % 2)
			last += 0.0625 * 0;
		sum = last + round;
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < 4096; i++)
			far[i] += (long)(sum * 16) + i % 3;
#pragma omp for nowait
		for (int i = 0; i < 8192; i++)
			small[i] = (unsigned char)(small[i] + far[i / 2] + beside);
#pragma omp master
		rounds += 2;
	}
}

int main(void)
{
	double found = 0, total = 0;

	for (int i = 0; i < N; i++)
		b[i] = i % 11;
	for (int round = 0; round < ROUNDS; round++) {
		ends(round);
		found += bounds(round);
		around(round);
		if (round % 7 == 6)
			before[round % 3] += a[round] + rounds + beside + limit + one;
	}
	for (int i = 0; i < 2048; i++)
		total += apart[i] + far[2 * i] + small[4 * i];
	printf("%.8e %.8e %.8e\n", found, total, before[0] + before[1] * 2 + before[2] * 3);
	printf("%d %d %d %d %.6f %.6f\n", beside, rounds, limit, one, sum, last);
	return 0;
}
