// SPDX-License-Identifier: GPL-2.0-or-later
/* Loops whose subscripts and pointers change where they stand: *to++ += 1. */
#include <stdio.h>

#define LINES 700
#define WIDTH 6

static long sums[LINES * WIDTH], shifted[LINES * WIDTH];

static void add_to_line(long *to, long by)
{
	*to++ += by;
	*to++ ^= by;
	++*to++;
	(*to++)--;
	*++to = by;
}

static void go(long by)
{
#pragma omp for
	for (int i = 0; i < LINES; i++) {
		int k = WIDTH * i;

		sums[k++] += by;
		sums[k++] -= 2 * by;
		sums[++k]++;
		--sums[--k];
	}
#pragma omp for
	for (int i = 0; i < LINES; i++)
		add_to_line(shifted + WIDTH * i, sums[WIDTH * (LINES - 1 - i) + 2] + i);
#pragma omp for
	for (int i = 0; i < LINES; i++)
		sums[WIDTH * i + 4] += shifted[WIDTH * ((i + LINES / 2) % LINES) + 5];
}

int main(void)
{
	unsigned long sum = 0;

#pragma omp parallel
	for (int round = 1; round < 6; round++)
		go(round);
	for (int i = 0; i < LINES * WIDTH; i++)
		sum = sum * 31 + sums[i] + 7 * shifted[i];
	printf("%lu\n", sum);
	return 0;
}
