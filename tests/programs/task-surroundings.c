/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task-surroundings.c - tasks behind what no jump could pass, which any node may run: an array of
 * variable size, a variable that is cleaned up, a statement expression; and a loop whose variable
 * is to be in a register.
 */
#include <stdio.h>

#define N 64

static int done[N], cleaned;

static void clean(int *value)
{
	cleaned += *value;
}

static void behind_array(int n)
{
#pragma omp parallel
#pragma omp single
	{
		int own[n];

		for (int i = 0; i < n; i++)
			own[i] = i * i;
		for (int i = 0; i < n; i++) {
			int value = own[i];

#pragma omp task firstprivate(i, value)
			done[i] += value;
		}
	}
}

static void behind_cleanup(int n)
{
#pragma omp parallel
#pragma omp single
	{
		int last __attribute__((cleanup(clean))) = n;

		for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
			done[i] += i;
		}
		last++;
	}
}

static void in_expression(int n)
{
	int count = 0;

#pragma omp parallel
#pragma omp single
	count = ({
		for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
			done[i] += 3;
		}
		n;
	});
	cleaned += count;
}

static void in_register(int n)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(8)
	for (register int i = 0; i < n; i++)
		done[i] += 7 * i;
}

int main(void)
{
	long sum = 0;

	behind_array(N);
	behind_cleanup(N);
	in_expression(N);
	in_register(N);
	for (int i = 0; i < N; i++)
		sum = sum * 3 % 1000003 + done[i];
	printf("%ld, %d\n", sum, cleaned);
	return 0;
}
