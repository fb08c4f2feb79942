/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A volatile variable of a region's block keeps its value when longjmp() comes back into it. */
#include <setjmp.h>
#include <stdio.h>

int main(void)
{
	int own = 0, copies = 0;
	volatile int copy = 5;

#pragma omp parallel reduction(+ : own)
	{
		jmp_buf here;
		volatile int passes = 0;

		if (setjmp(here) < 2) {
			passes++;
			longjmp(here, passes);
		}
		own += passes == 2;
	}
#pragma omp parallel firstprivate(copy) reduction(+ : copies)
	{
		jmp_buf here;

		if (setjmp(here) < 7) {
			copy++;
			longjmp(here, copy);
		}
		copies += copy == 7;
	}
	printf("%d %d\n", own > 0, copies == own);
	return 0;
}
