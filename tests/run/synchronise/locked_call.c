/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Assembly with an atomic instruction in a function that a region calls, too. */
#include <stdio.h>

static int count;

static void bump(void)
{
	if (count >= 0)
		__asm__ volatile("lock; incl %0" : "+m"(count) : : "memory");
	else
		count = 0;
}

int main(void)
{
	int i;

	bump();
	__asm__ volatile("" ::: "memory");
	printf("%d\n", count);
	fflush(stdout);
	/* Behind its end node 0 has printed; else another node's failure may come before that. */
#pragma omp parallel
	{
	}
#pragma omp parallel for
	for (i = 0; i < 100; i++)
		bump();
	printf("%d\n", count);
	return 0;
}
