/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every kind of construct, in the C of 1989. */
#include <cape.h>
#include <omp.h>
#include <stdio.h>

static int asm_free = 1, copies[4];
#pragma omp threadprivate(copies)

int main(void)
{
	int i, s = 0, t = 0, group = 0;
	double d = 0;

#pragma omp parallel for reduction(+ : s, d) schedule(dynamic, 3)
	for (i = 1; i <= 100; i++) {
		s += i;
		d += 0.5;
	}
#pragma omp parallel num_threads(2) copyin(copies)
	{
#pragma omp sections reduction(+ : t)
		{
#pragma omp section
			t += 1;
#pragma omp section
			t += 1;
		}
#pragma omp single
		{
#pragma omp taskgroup task_reduction(+ : group)
			for (i = 0; i < 3; i++) {
#pragma omp task firstprivate(i) in_reduction(+ : group)
				group += i;
			}
		}
#pragma omp master
		{
#pragma omp critical
			t += asm_free;
		}
#pragma omp barrier
#pragma omp for ordered lastprivate(i)
		for (i = 0; i < 4; i++) {
#pragma omp ordered
			copies[i]++;
#pragma omp atomic
			t += copies[i] - 1;
		}
#pragma omp flush
	}
	printf("%d %g %d\n", s, d, t + group - 3);
	return 0;
}
