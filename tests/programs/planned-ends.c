// SPDX-License-Identifier: GPL-2.0-or-later
/* A loop in which the program ends prints what other nodes have written before. */
#include <stdio.h>
#include <stdlib.h>

#define SIZE 4096
#define HALF (SIZE / 2)

static int first[SIZE], second[SIZE], flag[64], wrong = 3;

static void give_up(int place)
{
	long sum = 0;

	for (int i = 0; i < SIZE; i++)
		sum = sum * 31 + first[i];
	for (int i = HALF; i < SIZE; i++)
		sum = sum * 31 + second[i];
	printf("flag %d: %ld\n", place, sum);
	exit(wrong);
}

int main(void)
{
	flag[40] = 1;
#pragma omp parallel
	for (int round = 0; round < 4; round++) {
#pragma omp for
		for (int i = 0; i < SIZE; i++)
			first[i] = i + round;
#pragma omp for
		for (int i = 0; i < SIZE; i++)
			second[i] = first[i] * 2;
#pragma omp for
		for (int i = 0; i < 64; i++) {
			if (flag[i] && round == 3)
				give_up(i);
			second[i] = 1;
		}
	}
	return 0;
}
