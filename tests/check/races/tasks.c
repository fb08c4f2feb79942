/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks.c - tasks that one node runs one behind the other, though nothing says that it must. */
#include <stdio.h>
#include <stdlib.h>

static int count, inner, result;

static void add(int times)
{
	if (times == 0)
		return;
#pragma omp task
	count++;
	add(times - 1);
}

/* What is ordered here is no race. */
static int sum(int n)
{
	int left, right, *own;

	if (n < 2)
		return n;
#pragma omp task shared(left)
	left = sum(n - 1);
#pragma omp task shared(right)
	right = sum(n - 2);
#pragma omp taskwait
#pragma omp task
	{
		own = malloc(sizeof(*own));
		*own = n;
		free(own);
	}
#pragma omp taskwait
	return left + right;
}

int main(void)
{
	int done = 0;

#pragma omp parallel
#pragma omp single
	{
		add(3);
#pragma omp taskwait
#pragma omp task
		{
#pragma omp task
			inner = 1;
		}
#pragma omp taskwait
		result = inner;
	}
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 40; i++) {
#pragma omp task
			{
#pragma omp critical
				done++;
			}
		}
#pragma omp taskgroup
		{
#pragma omp task
			{
#pragma omp task
				inner = 2;
			}
		}
		result += inner;
#pragma omp task if (0)
		result++;
		result += sum(6);
#pragma omp task depend(inout : result)
		result++;
#pragma omp task depend(inout : result)
		result++;
	}
	printf("%d %d\n", done, result);
	return 0;
}
