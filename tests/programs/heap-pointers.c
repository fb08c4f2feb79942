/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heap-pointers.c - blocks that only automatic variables of one function point to. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct holder {
	int size;
	long *data;
};

static long through_structure(int n)
{
	struct holder holder = {n, calloc((size_t)n, sizeof(long))};
	long sum = 0;

#pragma omp parallel for
	for (int i = 0; i < holder.size; i++)
		holder.data[i] += i;
#pragma omp parallel
	{
#pragma omp critical
		holder.data[0]++;
	}
	for (int i = 0; i < n; i++)
		sum += holder.data[i];
	free(holder.data);
	return sum;
}

static long through_array(void)
{
	int *rows[3], sum = 0;

	for (int i = 0; i < 3; i++) {
		rows[i] = malloc(4 * sizeof(int));
		for (int j = 0; j < 4; j++)
			rows[i][j] = 0;
	}
#pragma omp parallel
	{
#pragma omp for collapse(2)
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 4; j++)
				rows[i][j] += i * j;
#pragma omp single
		rows[1][0] = 100;
#pragma omp barrier
#pragma omp atomic
		rows[2][0] += rows[1][0];
	}
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 4; j++)
			sum += rows[i][j];
		free(rows[i]);
	}
	return sum;
}

int main(void)
{
	int threads = omp_get_max_threads(), order = 0;
	long *counter = malloc(3 * sizeof(*counter)), before;
	double *table = malloc(11 * sizeof(*table)), *middle = table + 10;
	int *const flag = calloc(1, sizeof(*flag));

	counter[0] = 0;
	counter[1] = 5;
	counter[2] = -1;
	middle[0] = 1;
#pragma omp parallel
	{
#pragma omp critical
		counter[0]++;
#pragma omp single
		counter[1] *= 2;
#pragma omp master
		counter[2] = omp_get_num_threads();
	}
	before = counter[0];
	printf("%d %ld %d\n", before == threads, counter[1], counter[2] == threads);
#pragma omp parallel for ordered schedule(dynamic)
	for (int i = 0; i < 10; i++) {
		table[i] = i;
#pragma omp ordered
		{
			middle[0] += i;
			*flag = ++order;
		}
	}
	printf("%.0f %.0f %.0f %d\n", table[4], middle[0], table[9], *flag);
	printf("%ld %ld\n", through_structure(20) - threads, through_array() - 100L * threads);
	free(counter);
	free(table);
	free(flag);
	return 0;
}
