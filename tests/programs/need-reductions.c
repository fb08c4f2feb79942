/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-reductions.c - sections of arrays are reduced of which each thread has just written a part:
 * words, and values that lie on two pages, by a function of the program's, in smaller teams too.
 */
#include <stdio.h>
#include <stdlib.h>

#define WORDS  16384
#define VALUES 3000
#define ROUNDS 4

struct value {
	double a, b, c;
	int count;
};

static void add(struct value *to, const struct value *from)
{
	to->a += from->a;
	to->b += from->b;
	to->c += from->c;
	to->count += from->count;
}

#pragma omp declare reduction(plus                                                                 \
			      : struct value                                                       \
			      : add(&omp_out, &omp_in))                                            \
	initializer(omp_priv = (struct value){0, 0, 0, 0})

static double words[WORDS];
static struct value values[VALUES];

static void reduce_words(double *other, int round)
{
	double sum = 0;

#pragma omp parallel for schedule(static)
	for (int i = 0; i < WORDS; i++) {
		other[i] = i + round;
		words[i] = 2 * i + round;
	}
#pragma omp parallel
	{
#pragma omp for reduction(+ : other[:WORDS]) nowait
		for (int j = 0; j < 40; j++)
			for (int i = 0; i < WORDS; i += 7)
				other[i] += j;
#pragma omp barrier
#pragma omp for reduction(+ : words[:WORDS])
		for (int j = 0; j < 40; j++)
			for (int i = 0; i < WORDS; i += 5)
				words[i] += j;
#pragma omp for
		for (int i = 0; i < WORDS; i++)
			other[i] += words[WORDS - 1 - i];
	}
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < WORDS; i++)
		sum += other[WORDS - 1 - i] * (i % 13) + words[i];
	printf("%.0f %.0f\n", sum, other[17]);
}

static void reduce_values(int round)
{
	double sum = 0;

#pragma omp parallel for schedule(static, 333)
	for (int i = 0; i < VALUES; i++)
		values[i] = (struct value){i + round, 2 * i, round, i};
#pragma omp parallel num_threads(2)
	{
#pragma omp for reduction(plus : values[:VALUES])
		for (int j = 0; j < 20; j++)
			for (int i = 0; i < VALUES; i += 3) {
				values[i].a += j;
				values[i].b += round;
				values[i].count++;
			}
	}
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < VALUES; i++)
		sum += values[VALUES - 1 - i].a * (i % 13) + values[i].b + values[i].count;
	printf("%.0f %.0f %d\n", sum, values[17].a, values[VALUES - 3].count);
}

int main(void)
{
	double *other = malloc(WORDS * sizeof(*other));

	if (!other)
		return 1;
	for (int round = 0; round < ROUNDS; round++) {
		reduce_words(other, round);
		reduce_values(round);
	}
	free(other);
	return 0;
}
