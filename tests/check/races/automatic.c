/* SPDX-License-Identifier: GPL-2.0-or-later */
/* automatic.c - the same behind a critical construct that orders something else. */
#include <omp.h>
#include <stdio.h>

static int entered;

int main(void)
{
	long written = 0;

#pragma omp parallel
	{
		written = omp_get_thread_num() + 2;
#pragma omp critical
		entered++;
	}
	printf("%d %d\n", entered > 0, written > 1);
	return 0;
}
