/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exit-quick.c - _exit behind a region: no handlers, nothing flushed but what was before. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void handler(void)
{
	printf("never\n");
}

int main(void)
{
	int sum = 0;

	atexit(handler);
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 5; i++)
		sum += i;
	printf("sum %d\n", sum);
	fflush(stdout);
	printf("lost");
	_exit(sum + 1);
}
