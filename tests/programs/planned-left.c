/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-left.c - a reduction whose variable lies beside an array: sequential code, and then a
 * smaller team, comes to the page that the reduction has left to one node.
 */
#include <stdio.h>

static char before[4096];
static short series[1607];
static long sum __attribute__((aligned(32))); /* as the arrays are */
static char after[4096];
static int set = 3;

int main(void)
{
	unsigned int all = 0;

	before[0] = after[0] = 1;
	for (int round = 0; round < 4; round++) {
#pragma omp parallel num_threads(2)
		{
#pragma omp single
			set = round;
#pragma omp for
			for (int i = 0; i < 1607; i++)
				series[i] = (short)(i - round);
		}
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 513; i++)
			sum += 1;
		sum &= 65535;
	}
	for (int i = 0; i < 1607; i++)
		all = all * 31 + (unsigned short)series[i] + before[i] + after[i];
	printf("%u %ld %d\n", all, sum, set);
	return 0;
}
