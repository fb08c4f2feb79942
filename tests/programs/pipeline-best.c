// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads look for the best of what is theirs, and put together in a critical construct which it
 * is: variables beside each other on the stack, some of which are written but never read there.
 */
#include <omp.h>
#include <stdio.h>

#define N      400
#define ROUNDS 12

struct found {
	int value, row;
};

static int a[N];
static int best_of_all, row_of_all;
static struct found found;

/* Nothing, after a while that is another one in each thread. */
static double linger(int round)
{
	double time = 0;

	for (int i = 0; i < 50000 * ((omp_get_thread_num() + round) % 3); i++)
		time = time * 0.5 + round;
	return time * 0;
}

static void fill(int round)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		a[i] = (i * 37 + round * 91) % 1009;
}

/* The place decides where values are equal. */
static int first(int round)
{
	int best = -1, row = N;

#pragma omp parallel
	{
		int mine = -1, at = N;
		double late = linger(round);

#pragma omp for nowait
		for (int i = 0; i < N; i++)
			if (a[i] / 10 > mine) {
				mine = a[i] / 10;
				at = i;
			}
#pragma omp critical
		if (mine + late > best || (mine == best && at < row)) {
			best = mine;
			row = at;
		}
	}
	return best * N + row;
}

/* Which it is nobody reads. */
static int which(int round)
{
	int best = -1, row = N, column = round;

#pragma omp parallel
	{
		int mine = -1, at = N;
		double late = linger(round);

#pragma omp for nowait
		for (int i = 0; i < N; i++)
			if (a[i] > mine) {
				mine = a[i];
				at = i;
			}
#pragma omp critical
		if (mine + late > best) {
			best = mine;
			row = at;
			column = at * 3;
		}
	}
	return best * N + row + column;
}

static int of_all(int round)
{
	best_of_all = row_of_all = -round;
#pragma omp parallel
	{
		int mine = -1, at = N;
		double late = linger(round);

#pragma omp for nowait
		for (int i = 0; i < N; i++)
			if (a[i] > mine) {
				mine = a[i];
				at = i;
			}
#pragma omp critical
		if (mine + late > best_of_all) {
			best_of_all = mine;
			row_of_all = at;
		}
	}
	return best_of_all * N + row_of_all;
}

static int in_record(int round)
{
	found = (struct found){-1, round};
#pragma omp parallel
	{
		int mine = -1, at = N;
		double late = linger(round);

#pragma omp for nowait
		for (int i = 0; i < N; i++)
			if (a[i] > mine) {
				mine = a[i];
				at = i;
			}
#pragma omp critical
		if (mine + late > found.value) {
			found.value = mine;
			found.row = at;
		}
	}
	return found.value * N + found.row;
}

int main(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		fill(round);
		printf("%d %d %d %d\n", first(round), which(round), of_all(round),
		       in_record(round));
	}
	return 0;
}
