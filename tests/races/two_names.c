/* SPDX-License-Identifier: GPL-2.0-or-later */
/* two_names.c - one variable under two critical constructs of different names. */
#include <omp.h>
#include <stdio.h>

static int sum;

int main(void)
{
#pragma omp parallel
	for (int i = 0; i < 200; i++) {
		if (omp_get_thread_num()) {
#pragma omp critical(others)
			sum += 3;
		} else {
#pragma omp critical(first)
			sum += 5;
		}
	}
	printf("%d\n", sum > 0);
	return 0;
}
