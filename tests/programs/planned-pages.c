// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages that loops whose sets are known write to, and all else does, too: variables of reductions,
 * loops of which nothing is known, of a smaller team, and of other schedules.
 */
#include <stdio.h>
#include <stdlib.h>

#define N 1500
#define M 500

static struct {
	int known[N], unknown[M], more[4000];
} page __attribute__((aligned(4096)));
static int left[3000], sum, right[3000], copies[10000];
static int first[3000], second[5000];
static int order[M];

static void reduce(void)
{
	for (int round = 0; round < 10; round++) {
#pragma omp parallel for schedule(static, 1)
		for (int i = 0; i < 3000; i++) {
			left[i] += i;
			right[i] -= i;
		}
		if (round % 3 == 0)
			printf("%d\n", round);
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 100; i++)
			sum += i;
#pragma omp parallel for
		for (int i = 0; i < 10000; i++)
			copies[i] += sum;
	}
	printf("%d %d %d, %d %d %d\n", left[100], sum, right[200], copies[0], copies[5000],
	       copies[9999]);
}

/* The region's own, at its end. */
static void reduce_in_region(void)
{
	for (int round = 0; round < 5; round++) {
#pragma omp parallel reduction(+ : sum)
		{
#pragma omp for schedule(static, 1)
			for (int i = 0; i < 3000; i++)
				left[i] += 2 * i;
			sum += round + 1;
#pragma omp for schedule(static, 1)
			for (int i = 0; i < 3000; i++)
				right[i] += left[2999 - i];
		}
#pragma omp parallel for
		for (int i = 0; i < 10000; i++)
			copies[i] += right[i % 3000];
	}
	printf("%d %d, %d %d\n", left[100], right[200], copies[0], copies[9999]);
}

static void mix(void)
{
	for (int i = 0; i < M; i++)
		order[i] = (i * 7) % M;
	for (int round = 0; round < 6; round++) {
#pragma omp parallel for
		for (int i = 0; i < M; i++)
			page.unknown[order[i]] += i + round + page.known[i];
#pragma omp parallel for schedule(static, 1)
		for (int i = 0; i < N; i++)
			page.known[i] += 1 << round;
	}
	for (int i = 0; i < N; i++)
		if (page.known[i] != (1 << 6) - 1)
			printf("known %d: %#x\n", i, page.known[i]);
	printf("%d %d\n", page.unknown[0], page.unknown[M - 1]);
}

static void mix_teams(void)
{
	unsigned short *small = calloc(2213, sizeof(*small));
	unsigned long *large = calloc(302, sizeof(*large));

	for (int round = 0; round < 3; round++) {
#pragma omp parallel for num_threads(2)
		for (int i = 0; i < 302; i++)
			large[i] = i + round + small[i];
#pragma omp parallel for schedule(static, 1)
		for (int i = 0; i < 2213; i++)
			small[i] += 1 << round;
	}
	printf("%d %d %lu %lu\n", small[0], small[2212], large[0], large[301]);
	free(small);
	free(large);
}

/* What a reduction has changed is read between two loops. */
static void decide(void)
{
	for (int round = 0; round < 6; round++) {
#pragma omp parallel
		{
			int offset = 0;

#pragma omp for schedule(static, 1)
			for (int i = 0; i < 3000; i++)
				left[i] = right[i] % 7 + i % 5 + round;
#pragma omp for reduction(+ : sum)
			for (int i = 0; i < 3000; i++)
				sum += left[i];
			offset = sum % 11;
#pragma omp for schedule(static, 1)
			for (int i = 0; i < 2900; i++)
				right[i] = left[i + offset] + offset;
		}
	}
	printf("%d %d %d\n", sum, right[5], right[2899]);
}

/* Loops of a region that not all nodes are in. */
static void shrink(void)
{
	for (int round = 0; round < 4; round++) {
#pragma omp parallel for
		for (int i = 0; i < 3000; i++)
			copies[i] += left[i] + right[2999 - i] + round;
#pragma omp parallel num_threads(2)
		{
#pragma omp for
			for (int i = 0; i < 3000; i++)
				left[i] = i + round;
#pragma omp for
			for (int i = 0; i < 3000; i++)
				right[i] = left[2999 - i];
		}
	}
	printf("%d %d %d\n", left[5], right[7], copies[2999]);
}

static void mix_schedules(void)
{
	for (int round = 0; round < 6; round++) {
#pragma omp parallel for schedule(static, 1)
		for (int i = 0; i < 3000; i++)
			first[i] += round + second[i];
#pragma omp parallel for schedule(dynamic)
		for (int i = 0; i < 5000; i++)
			second[i] = round + i;
		if (round % 2)
			printf("%d\n", round);
	}
	printf("%d %d\n", first[100], second[100]);
}

/* Pages that their owner gives to all at the sync point of a known loop that reads them. */
static void publish(void)
{
	static unsigned long wide[3808];
	static unsigned char bytes[5556];
	unsigned total = 0;

	for (int round = 0; round < 8; round++) {
#pragma omp parallel for schedule(guided)
		for (int i = 0; i < 100; i++)
			for (int j = 0; j < 38; j++)
				wide[i * 38 + j] = (i * 38 + j) * 8u + round + 68;
#pragma omp parallel for schedule(static, 1)
		for (int i = 5555; i >= 0; i--)
			bytes[i] ^= round + i + (unsigned)wide[i % 3808];
#pragma omp parallel for
		for (int i = 1; i < 5556; i++)
			bytes[i] += i * 6 + round + (unsigned)wide[i % 3808];
#pragma omp parallel for
		for (int i = 0; i < 3808; i++)
			wide[i] = round + bytes[i] + i * 7u + 71;
	}
	for (int i = 0; i < 3808; i++)
		total = total * 31 + (unsigned)wide[i] + bytes[i];
	printf("%u\n", total);
}

int main(void)
{
	reduce();
	reduce_in_region();
	mix();
	mix_teams();
	decide();
	shrink();
	mix_schedules();
	publish();
	return 0;
}
