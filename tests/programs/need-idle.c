/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-idle.c - what each thread wrote lies idle over many regions: the others read it while the
 * one that wrote it does not come to it, then it is written to again, or given back, in sequential
 * code, by a region or by a file.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT  (5 * 64 * 1024 / 8)
#define ROUNDS 12

static unsigned long still[COUNT], small[64];

static unsigned long sum_of(const unsigned long *array, long from, long step)
{
	unsigned long sum = 0;

	for (long i = from; i < COUNT; i += step)
		sum = sum * 31 + array[i];
	return sum;
}

static void fill(unsigned long *array, unsigned long seed)
{
#pragma omp parallel for
	for (long i = 0; i < COUNT; i++)
		array[i] = array[i] * 3 + (unsigned long)i * seed;
}

/* One thread alone reads, all of it backwards or a part. */
static unsigned long read_alone(const unsigned long *array, int round)
{
	unsigned long sum = 0;

#pragma omp parallel reduction(+ : sum)
	if (omp_get_thread_num() == round % omp_get_num_threads()) {
		for (long i = COUNT - 1; i >= (round % 2 ? 0 : COUNT / 2); i -= 100)
			sum = sum * 31 + array[i];
	}
	return sum;
}

static void idle(void)
{
#pragma omp parallel for
	for (int i = 0; i < 64; i++)
		small[i] += (unsigned long)i;
}

static unsigned long through_file(const unsigned long *array)
{
	unsigned long *copy = malloc(sizeof(still)), sum;
	FILE *file = tmpfile();

	if (!copy || !file || fwrite(array, sizeof(*array), COUNT, file) != COUNT)
		exit(1);
	rewind(file);
	if (fread(copy, sizeof(*copy), COUNT, file) != COUNT)
		exit(1);
	fclose(file);
	sum = sum_of(copy, 0, 1);
	free(copy);
	return sum;
}

int main(void)
{
	unsigned long *heap = calloc(COUNT, sizeof(*heap)), sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
		unsigned long *array = round % 3 ? heap : still;

		if (round % 3 != 2)
			fill(array, (unsigned long)round + 1);
		for (int i = 0; i < 4; i++)
			idle();
		sum = sum * 31 + read_alone(array, round);
		idle();
		if (round % 5 == 4)
			array[round * 700] += 1;
		if (round % 5 == 2)
			sum = sum * 31 + through_file(array);
		if (round % 7 == 6) {
			free(heap);
			heap = calloc(COUNT, sizeof(*heap));
		}
		printf("%d %lx\n", round, sum);
	}
	printf("%lx %lx %lu\n", sum_of(still, 0, 1), sum_of(heap, 1, 3), small[63]);
	free(heap);
	return 0;
}
