/* SPDX-License-Identifier: GPL-2.0-or-later */
/* critical_twice.c - a critical construct inside one of the same name, in a function. */
#include <omp.h>

static int calls;

__attribute__((noinline)) static void called(void)
{
#pragma omp critical(gate)
	calls++;
}

int main(void)
{
#pragma omp parallel
	{
#pragma omp critical(gate)
		called();
	}
	return 0;
}
