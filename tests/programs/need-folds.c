/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-folds.c - functions that fold reductions change, read and free memory that one node alone
 * has, while others may have gone on; and values on two pages, of which a node outside the team
 * has one.
 */
#include <complex.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE   4096
#define ROUNDS 4

/* -- values that pointers lead to ------------------------------------------------------------ */

struct vector {
	double *v, sum;
};

static void add_vectors(struct vector *to, const struct vector *from)
{
	to->sum = 0;
	for (int i = 0; i < SIZE; i++) {
		to->v[i] += from->v[i];
		to->sum += to->v[i];
	}
}

#pragma omp declare reduction(plus                                                                 \
			      : struct vector                                                      \
			      : add_vectors(&omp_out, &omp_in))                                    \
	initializer(omp_priv = {calloc(SIZE, sizeof(double)), 0})

static struct vector total;

static int is_last(void)
{
	return omp_get_thread_num() == omp_get_num_threads() - 1;
}

/* Behind the fold one thread changes what was folded, before the next barrier. */
static void inside(double *big, int round)
{
#pragma omp parallel
	{
		if (is_last())
			for (int i = 0; i < SIZE; i++)
				total.v[i] = i + round;
#pragma omp barrier
#pragma omp for reduction(plus : total)
		for (int i = 0; i < 64; i++)
			for (int k = 0; k < SIZE; k++)
				total.v[k] += i;
#pragma omp single
		for (int k = 0; k < SIZE; k += 3)
			total.v[k] -= k;
#pragma omp for
		for (int k = 0; k < 4 * SIZE; k++)
			big[k] = total.v[k % SIZE] + total.sum;
	}
}

static void vectors(void)
{
	double *big = malloc(4 * SIZE * sizeof(*big)), sum = 0;

	total.v = malloc(SIZE * sizeof(double));
	for (int round = 0; round < ROUNDS; round++) {
		inside(big, round);
#pragma omp parallel for reduction(plus : total)
		for (int i = 0; i < 64; i++)
			for (int k = 0; k < SIZE; k++)
				total.v[k] += i;
		for (int k = 0; k < SIZE; k++)
			sum += total.v[k] * (k % 7) + big[4 * k];
		printf("%d: %.1f\n", round, sum);
	}
	free(total.v);
	free(big);
}

/* -- a table that is read, and changed at once ------------------------------------------------ */

struct weight {
	double sum;
};

static double *table;

static void add_weights(struct weight *to, const struct weight *from)
{
	(void)from;
	for (int i = 0; i < SIZE; i += 512)
		to->sum = table[i] > to->sum ? table[i] : to->sum;
}

#pragma omp declare reduction(most                                                                 \
			      : struct weight                                                      \
			      : add_weights(&omp_out, &omp_in)) initializer(omp_priv = {0})

static void tables(void)
{
	table = malloc(SIZE * sizeof(*table));
	for (int round = 0; round < ROUNDS; round++) {
		struct weight weight = {0};

#pragma omp parallel
		{
			if (is_last())
				for (int i = 0; i < SIZE; i++)
					table[i] = round + 1;
#pragma omp barrier
#pragma omp for reduction(most : weight)
			for (int i = 0; i < 64; i++)
				weight.sum += 0;
			if (is_last())
				for (int i = 0; i < SIZE; i++)
					table[i] = 1000;
		}
		printf("%d: %.0f\n", round, weight.sum);
	}
	free(table);
}

/* -- what is freed when it was added ---------------------------------------------------------- */

struct item {
	double *v;
};

static double *fresh(void)
{
	double *v = malloc(8 * sizeof(*v));

	for (int i = 0; i < 8; i++)
		v[i] = 0;
	return v;
}

static void add_items(struct item *to, struct item *from)
{
	for (int i = 0; i < 8; i++)
		to->v[i] += from->v[i];
	free(from->v);
	from->v = NULL;
}

#pragma omp declare reduction(take                                                                 \
			      : struct item                                                        \
			      : add_items(&omp_out, &omp_in)) initializer(omp_priv = {fresh()})

static void items(void)
{
	struct item *item = malloc(SIZE * sizeof(*item));
	double *set = calloc(SIZE, 8 * sizeof(double)), sum = 0;

	for (int round = 0; round < 2; round++) {
#pragma omp parallel
		if (is_last())
			for (int i = 0; i < SIZE; i++)
				item[i].v = set + 8 * (round ? SIZE - 1 - i : i);
#pragma omp parallel for reduction(take : item[:SIZE])
		for (int i = 0; i < SIZE; i++)
			for (int k = 0; k < 8; k++)
				item[i].v[k] += i + k;
	}
	for (int i = 0; i < SIZE; i++)
		for (int k = 0; k < 8; k++)
			sum += item[i].v[k] * (i % 5 + k);
	printf("%.0f\n", sum);
	free(set);
	free(item);
}

/* -- half a value ------------------------------------------------------------------------------ */

static char memory[20 * SIZE] __attribute__((aligned(4096)));

static void halves(void)
{
	long double _Complex *z = (long double _Complex *)(memory + 16);
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(2)
		if (omp_get_thread_num() == 0)
			for (int i = 0; i < 511; i++)
				z[i] = i + round;
#pragma omp parallel for num_threads(2) reduction(+ : z [0:1024])
		for (int i = 0; i < 64; i++)
			z[i * 15] += i;
	}
	for (int i = 0; i < 1024; i++)
		sum += (double)creall(z[i]) * i;
	printf("%.0f\n", sum);
}

int main(void)
{
	vectors();
	tables();
	items();
	halves();
	return 0;
}
