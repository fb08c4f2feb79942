/* SPDX-License-Identifier: GPL-2.0-or-later */
/* once.c - something is made by the first who needs it, under a critical construct, and then used. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 50

static struct table {
	int made_by;
	long powers[N];
} *table;

static int made;
static char *names[8];

static struct table *get_table(void)
{
	struct table *result;

#pragma omp critical(table)
	{
		if (!table) {
			table = malloc(sizeof(*table));
			table->made_by = omp_get_thread_num();
			for (int i = 0; i < N; i++)
				table->powers[i] = i ? table->powers[i - 1] * 3 % 1000003 : 1;
			made++;
		}
		result = table;
	}
	return result;
}

static const char *get_name(int i)
{
	char *name;

#pragma omp critical(names)
	{
		if (!names[i]) {
			names[i] = malloc(20);
			snprintf(names[i], 20, "name %d", i);
		}
		name = names[i];
	}
	return name;
}

int main(void)
{
	long sum = 0;
	int wrong = 0;

#pragma omp parallel reduction(+ : sum, wrong)
	{
		/* Not all threads come here before the barrier. */
		if (omp_get_thread_num() % 2 == 0)
			wrong += get_table()->powers[1] != 3;
#pragma omp for schedule(dynamic)
		for (int i = 0; i < N; i++)
			sum += get_table()->powers[i];
		for (int i = 0; i < 8; i++)
			wrong += atoi(get_name((i + omp_get_thread_num()) % 8) + 5) !=
				 (i + omp_get_thread_num()) % 8;
	}
	printf("%d wrong, %ld, made %d\n", wrong, sum, made);
	free(table);
	for (int i = 0; i < 8; i++)
		free(names[i]);
	return 0;
}
