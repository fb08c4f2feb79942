/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every kind of construct, in the C of 1989. */
#include <cape.h>
#include <omp.h>
#include <stdio.h>

static int asm_free = 1, copies[4];
#pragma omp threadprivate(copies)

static int list[9], *rows[9], flags[9];

/* What is described in rounds: by lists, by rows, by what all threads of a region do. */
static void described(void)
{
	int i, k, *at = list;

#pragma omp parallel for private(k)
	for (i = 0; i < 8; i++)
		for (k = list[i]; k < list[i + 1]; k++)
			flags[i] += list[at[k]];
#pragma omp parallel for private(k)
	for (i = 0; i < 9; i++)
		for (k = 0; rows[i] && k < 9; k++)
			rows[i][k]++;
#pragma omp parallel private(k)
	for (k = 0; k < 2; k++) {
#pragma omp for nowait
		for (i = 1; i < 9; i++) {
			while (i > 1 && flags[i - 1] < k) {
#pragma omp flush(flags)
			}
			flags[i] = k + at[i];
#pragma omp flush(flags)
		}
	}
}

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
	described();
	printf("%d %g %d\n", s, d, t + group - 3);
	return 0;
}
