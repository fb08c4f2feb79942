/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-delay.c - known loops that call functions with volatile variables of their own: nobody
 * else can change these, so nothing is waited for.
 */
#include <stdio.h>

enum { COUNT = 3000, ROUNDS = 100 };

static double values[COUNT];

static void turn(long times)
{
	for (volatile long i = 0; i < times; i++)
		;
}

static void count_down(volatile long times)
{
	while (times > 0)
		times--;
}

static long walk(long times)
{
	struct {
		volatile long at;
	} place = {0};
	volatile long steps[2] = {0};

	while (place.at < times)
		place.at++;
	do
		steps[1]++;
	while (steps[1] < times);
	return steps[1];
}

int main(void)
{
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for
		for (int i = 0; i < COUNT; i++) {
			values[i] += i % 5;
			turn(30);
			count_down(20);
		}
#pragma omp parallel
		{
#pragma omp for
			for (int i = 0; i < COUNT; i++)
				values[i] += (double)walk(10) + values[i] / 64;
		}
	}
	for (int i = 0; i < COUNT; i++)
		sum += values[i];
	printf("%.9g\n", sum);
	return 0;
}
