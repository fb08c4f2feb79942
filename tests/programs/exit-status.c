/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exit-status.c - main returns what a region computed. */
#include <stdio.h>

int main(void)
{
	int status = 0;

#pragma omp parallel for reduction(+ : status)
	for (int i = 0; i < 10; i++)
		status += i;
	printf("leaving with %d\n", status);
	return status;
}
