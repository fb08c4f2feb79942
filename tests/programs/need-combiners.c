/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-combiners.c - what folds a reduction reads arrays of which each thread has just written a
 * part; they change behind it.
 */
#include <omp.h>
#include <stdio.h>

#define SIZE   20000
#define ROUNDS 6

struct value {
	long read;
	int at;
};

static int table[SIZE], other[SIZE];

static void add(struct value *to, const struct value *from)
{
	for (int i = 0; i < SIZE; i += 50)
		to->read += table[i] + other[i];
	to->at = (to->at + from->at) % 1000003;
}

#pragma omp declare reduction(plus                                                                 \
			      : struct value                                                       \
			      : add(&omp_out, &omp_in))                                            \
	initializer(omp_priv = (struct value){0, 0})

int main(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct value value = {0, 1};
		long sum = 0;

#pragma omp parallel for schedule(static)
		for (int i = 0; i < SIZE; i++)
			table[i] = i + round;
#pragma omp parallel
		{
			int part = SIZE / omp_get_num_threads(), me = omp_get_thread_num();

			for (int i = part * me; i < part * (me + 1); i++)
				other[i] = i * 3 + round;
#pragma omp barrier
#pragma omp for reduction(plus : value)
			for (int i = 0; i < omp_get_num_threads(); i++)
				value.at += i * 4111;
#pragma omp for
			for (int i = 0; i < SIZE; i++)
				other[SIZE - 1 - i]++;
		}
		/* How often it was folded, and with what, is not said anywhere. */
		if (value.read < 0)
			return 1;
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < SIZE; i++)
			sum += (long)table[SIZE - 1 - i] * (i % 7) + other[i * 13 % SIZE];
			/* Nobody holds, unknown to others, what was read at a region's end. */
#pragma omp parallel for reduction(plus : value)
		for (int i = 0; i < 10; i++)
			value.at += i * 4111;
#pragma omp parallel
		{
#pragma omp for schedule(static)
			for (int i = 0; i < SIZE; i++)
				table[i] = 3 * i - round;
#pragma omp for schedule(static) reduction(+ : sum)
			for (int i = 0; i < SIZE; i++)
				sum += (long)table[SIZE - 1 - i] * (i % 7);
		}
		printf("%d %ld\n", value.at, sum);
	}
	return 0;
}
