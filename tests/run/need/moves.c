/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moves.c - a square of pages that each step changes by rows, then by columns, then by rows twice
 * more, as a Fourier transform in three dimensions does: twice a step most pages change hands.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE  24
#define WORDS 512
#define STEPS 16

typedef uint64_t page[WORDS];

static void change(page words, uint64_t by)
{
	for (int i = 0; i < WORDS; i++)
		words[i] = words[i] * 6364136223846793005u + by;
}

static void by_rows(page square[SIDE][SIDE], uint64_t by)
{
#pragma omp parallel for
	for (int row = 0; row < SIDE; row++)
		for (int column = 0; column < SIDE; column++)
			change(square[row][column], by);
}

static void by_columns(page square[SIDE][SIDE])
{
#pragma omp parallel for
	for (int column = 0; column < SIDE; column++)
		for (int row = 0; row < SIDE; row++)
			change(square[row][column], 3);
}

int main(void)
{
	page(*square)[SIDE] = aligned_alloc(sizeof(page) * 8, sizeof(page) * SIDE * SIDE);
	uint64_t sum = 0;

#pragma omp parallel for
	for (int row = 0; row < SIDE; row++) {
		uint64_t *words = (uint64_t *)square[row];

		for (int i = 0; i < SIDE * WORDS; i++)
			words[i] = (uint64_t)(row + i);
	}
	for (int step = 0; step < STEPS; step++) {
		by_rows(square, 1);
		by_columns(square);
		by_rows(square, 2);
		by_rows(square, 4);
	}
#pragma omp parallel for reduction(+ : sum)
	for (int row = 0; row < SIDE; row++)
		for (int column = 0; column < SIDE; column++)
			for (int i = 0; i < WORDS; i++)
				sum += square[row][column][i];
	printf("%016lx\n", sum);
	free(square);
	return 0;
}
