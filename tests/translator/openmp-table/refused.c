/* SPDX-License-Identifier: GPL-2.0-or-later */
/* refused.c - what cape-cc refuses: each line with a comment behind its pragma is an error. */
#include <omp.h>
#include <stddef.h>

void f(int *a, int n);

#pragma omp requires unified_shared_memory	    /* requires */
#pragma omp declare mapper(struct unknown s) map(s) /* declare mapper, declare variant */

void f(int *a, int n)
{
	int sum = 0;

#pragma omp parallel
	{
#pragma omp for ordered(1) /* ordered(n), a loop with dependences */
		for (int i = 1; i < n; i++)
			a[i]++;
#pragma omp for reduction(inscan, + : sum) /* reduction(inscan), scan */
		for (int i = 0; i < n; i++)
			sum += a[i];
#pragma omp for lastprivate(conditional : sum) /* lastprivate(conditional: ...) */
		for (int i = 0; i < n; i++)
			if (a[i])
				sum = a[i];
#pragma omp single
		{
#pragma omp task detach(event) /* detach */
			a[0]++;
#pragma omp depobj(event) depend(in : a) /* depobj */
		}
	}
#pragma omp parallel default(private) /* default(private), default(firstprivate) */
	sum++;
#pragma omp parallel private(sum) allocate(sum) /* allocate */
	sum = 1;
#pragma omp metadirective when(user = {condition(1)} : parallel) /* metadirective */
	sum++;
#pragma omp interop init(target : event) /* interop */
#pragma omp dispatch			 /* dispatch */
	f(a, n);
}
