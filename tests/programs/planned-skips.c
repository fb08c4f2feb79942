// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Known loops in a row, whose sync points nobody has to wait at for all: threads that are late read
 * what others overwrite in the loop after that, and what others still have to write.
 */
#include <omp.h>
#include <stdio.h>

#define N      4096
#define ROUNDS 40

static double row[N], other[N], whole[N];
static int order[N], small[64], sums[N];

/* Some are late, others at other times. */
static double linger(int round)
{
	volatile double time = 0;

	if ((round * 7 + omp_get_thread_num() * 3) % 5 == 0)
		for (int i = 0; i < 40000; i++)
			time += i;
	return time * 0;
}

/* What a neighbour has written is read, and overwritten in the next loop. */
static void neighbours(void)
{
#pragma omp parallel
	for (int round = 0; round < ROUNDS; round++) {
		linger(round);
#pragma omp for
		for (int i = 0; i < N; i++)
			other[i] = row[(i + 1) % N] + row[(i + N - 1) % N] + round;
#pragma omp for
		for (int i = 0; i < N; i++)
			row[i] = other[i] / 2 + other[N - 1 - i] / 4;
	}
}

/* The same, with work that differs inside of the loops. */
static void uneven(void)
{
	int round;

#pragma omp parallel private(round)
	for (round = 0; round < ROUNDS; round++) {
#pragma omp for
		for (int i = 0; i < N; i++) {
			double sum = 0;

			for (int j = 0; j < (i / 1024 == round % 4 ? 50 : 1); j++)
				sum += row[(i + 1024) % N] + j;
			other[i] = sum;
		}
#pragma omp for
		for (int i = 0; i < N; i++)
			row[i] = other[(i + 2048) % N] / 64 + i;
#pragma omp for schedule(static, 3)
		for (int i = 0; i < N; i++)
			whole[i] += row[N - 1 - i];
	}
}

/* Where it is read is known only to a list; what is read then is overwritten at once. */
static void by_lists(void)
{
#pragma omp parallel
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp for
		for (int i = 0; i < N; i++)
			other[i] = row[order[i]] + round;
#pragma omp for
		for (int i = 0; i < N; i++)
			row[i] = other[i] / 3 + other[N - 1 - i] / 5;
#pragma omp for
		for (int i = 0; i < N; i++)
			row[i] += 1;
	}
}

/* The length, which a loop writes, is read between loops. */
static void lengths(void)
{
	int last = 0, length = 8;

#pragma omp parallel shared(last, length)
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp for
		for (int i = 0; i < 64; i++)
			small[i] += i * round % 7;
#pragma omp for lastprivate(last)
		for (int i = 0; i < N; i++) {
			last = i % 100 + round;
			sums[i] += small[i % 64];
		}
#pragma omp for
		for (int i = 0; i < last; i++)
			sums[i] += last;
#pragma omp for
		for (int i = 0; i < length; i++)
			sums[i] += small[63 - i];
	}
	printf("last %d\n", last);
}

static double checksum(const double *list)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		sum += list[i] * (i % 17 + 1);
	return sum;
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < N; i++) {
		row[i] = i % 29;
		order[i] = (int)((i * 1237L + 11) % N);
	}
	neighbours();
	printf("neighbours %.6e %.6e\n", checksum(row), checksum(other));
	uneven();
	printf("uneven %.6e %.6e\n", checksum(row), checksum(whole));
	by_lists();
	printf("by lists %.6e %.6e\n", checksum(row), checksum(other));
	lengths();
	for (int i = 0; i < N; i++)
		sum += (long)sums[i] * (i % 13 + 1);
	printf("lengths %ld\n", sum);
	return 0;
}
