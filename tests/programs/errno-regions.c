// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * errno-regions.c - errno is the program's: what CAPE asks the kernel for in vain, as where it
 * begins to track pages of much memory, does not change it.
 */
#include <errno.h>
#include <stdio.h>

#define PAGES 4096

static double memory[PAGES][512];

int main(void)
{
	double sum = 0;
	int changed = 0;

	for (int round = 0; round < 12; round++) {
		errno = EDOM;
#pragma omp parallel for schedule(static, 16)
		for (int page = 0; page < PAGES; page += 4)
			memory[page][round] = page + round;
		changed += errno != EDOM;
		sum += memory[64][round];
		changed += errno != EDOM;
	}
	printf("%.0f %d\n", sum, changed);
	return 0;
}
