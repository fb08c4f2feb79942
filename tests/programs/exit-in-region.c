/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exit-in-region.c - one of all threads ends the program: functions are called, once. */
#include <stdio.h>
#include <stdlib.h>

static int value;

static void early(void)
{
	printf("early %d\n", value);
}

static void late(void)
{
	printf("late %d\n", value);
	exit(value);
}

int main(void)
{
	atexit(early);
	printf("begun, ");
#pragma omp parallel
	{
#pragma omp single
		{
			value = 5;
			printf("in one, ");
			atexit(late);
		}
#pragma omp critical
		exit(1);
	}
	return 2;
}
