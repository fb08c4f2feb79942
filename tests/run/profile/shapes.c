/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shapes.c - constructs whose cost is known: tests/run/profile.t asks for them by the words "at"
 * in comments.  With an argument node 1 dies behind all, with two node 0.
 */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define N 65536

static double written[N], turned[N], between[N];
static int order[8], entered;

struct pair {
	double *first, *second;
};

static void add(struct pair *pair)
{
#pragma omp parallel for /* at members */
	for (int i = 0; i < N; i++)
		pair->first[i] += pair->second[N - 1 - i];
}

static void orphan(void)
{
#pragma omp for /* at orphan */
	for (int i = 0; i < N; i++)
		written[i] += 1;
}

static double read_backwards(const double *from)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum) /* at backwards */
	for (int i = 0; i < N; i++)
		sum += from[N - 1 - i];
	return sum;
}

int main(int argc, char **argv)
{
	double *block = malloc(N * sizeof(*block)), sum = 0;
	struct pair pair = {calloc(N, sizeof(double)), calloc(N, sizeof(double))};

	(void)argv;
	for (int k = 0; k < 3; k++) {
#pragma omp parallel for /* at write */
		for (int i = 0; i < N; i++)
			written[i] = block[i] = i + k;
	}
#pragma omp parallel for /* at turn */
	for (int i = 0; i < N; i++)
		turned[i] = written[N - 1 - i];
	sum += read_backwards(block);
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		pair.second[i] = i + 1;
	add(&pair);
	for (int k = 0; k < 4; k++) {
#pragma omp parallel for schedule(static, 64) /* at interleaved */
		for (int i = 0; i < N; i++)
			between[i] += i * k + 1;
	}
#pragma omp parallel /* at region */
	{
		orphan();
		orphan();
		for (int k = 0; k < 5; k++) {
#pragma omp barrier /* at barrier */
		}
	}
#pragma omp parallel /* at locked */
	{
#pragma omp critical /* at critical */
		order[entered++] = omp_get_thread_num();
	}
	for (int i = 0; i < N; i++)
		sum += turned[i] + between[i] + pair.first[i];
	printf("%.0f %d\n", sum, entered);
	if (argc > 1) {
#pragma omp parallel /* at death */
		if (omp_get_thread_num() == (argc == 2))
			raise(SIGKILL);
	}
	free(block);
	free(pair.first);
	free(pair.second);
	return 0;
}
