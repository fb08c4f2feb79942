/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sections.c - fewer and more sections than threads; private, lastprivate and reduction on them. */
#include <stdio.h>

static int done[12];
static double results[3];

int main(void)
{
	int last = -1, base = 10, sum = 0, scratch = 3;
	long product = 1;

#pragma omp parallel
	{
#pragma omp sections
		{
			done[0] = 1;
#pragma omp section
			done[1] = 2;
#pragma omp section
			{
				done[2] = 3;
				results[1] = 1.5;
			}
		}
#pragma omp sections nowait
		{
#pragma omp section
			done[3] = done[0] + 10;
		}
#pragma omp sections firstprivate(base) lastprivate(last) reduction(+ : sum) private(scratch)
		{
#pragma omp section
			{
				scratch = base;
				sum += scratch;
				last = 1;
			}
#pragma omp section
			{
				scratch = base * 2;
				sum += scratch;
				last = 2;
			}
#pragma omp section
			{
				for (scratch = 0; scratch < 5; scratch++)
					sum += scratch;
				last = 3;
			}
#pragma omp section
			sum += base * 3, last = 4;
		}
		/* More than any team here has threads. */
#pragma omp sections reduction(* : product)
		{
#pragma omp section
			product *= 2, done[4] = last;
#pragma omp section
			product *= 3, done[5] = sum;
#pragma omp section
			product *= 5, done[6] = base;
#pragma omp section
			product *= 7;
#pragma omp section
			product *= 11;
#pragma omp section
			product *= 13;
#pragma omp section
			product *= 17;
#pragma omp section
			product *= 19, done[11] = 12;
		}
	}
	for (int i = 0; i < 12; i++)
		printf("%d ", done[i]);
	printf("\n%d %d %d %d %ld %.1f\n", last, base, sum, scratch, product, results[1]);
	return 0;
}
