/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts.c - each node reads so many numbers that another writes: counts, which are near each
 * other, or, with a second argument, numbers that have nothing in common.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 8

static uint64_t next(uint64_t number, int mix)
{
	number++;
	return mix ? (number ^ number >> 29) * 0xbf58476d1ce4e5b9 : number;
}

int main(int argc, char **argv)
{
	int size = argc > 1 ? atoi(argv[1]) : 0, mix = argc > 2;
	uint64_t *number = calloc((size_t)size, sizeof(*number)), sum = 0;

	if (!number)
		return 1;
#pragma omp parallel for
	for (int i = 0; i < size; i++)
		number[i] = mix ? next((uint64_t)i, 1) : (uint64_t)i;
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < size; i++)
			sum += (uint64_t)(i | 1) * number[(i + size / 2) % size];
#pragma omp parallel for
		for (int i = 0; i < size; i++)
			number[i] = next(number[i], mix);
	}
	printf("%lu\n", sum);
	free(number);
	return 0;
}
