/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exit-call.c - exit() deep down in sequential code, with handlers and output not yet flushed. */
#include <stdio.h>
#include <stdlib.h>

static int value;

static void first_handler(void)
{
	printf("first handler %d\n", value);
}

static void second_handler(void)
{
	value++;
	printf("second handler %d\n", value);
}

static void work(int rounds)
{
	for (int round = rounds; round >= 0; round--) {
#pragma omp parallel for reduction(+ : value)
		for (int i = 0; i < 4; i++)
			value += round;
	}
	if (value) {
		printf("not flushed, ");
		exit(value % 256);
	}
}

int main(void)
{
	atexit(first_handler);
	atexit(second_handler);
	work(5);
	printf("never\n");
	return 0;
}
