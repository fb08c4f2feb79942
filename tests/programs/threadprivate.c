/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threadprivate.c - file scope, block scope, arrays and structures; they live from region to
 * region. */
#include <omp.h>
#include <stdio.h>

static int counter = 5;
static double table[6];
static struct {
	char name[8];
	long value;
} record = {"start", 1};
int external_value = 11;
#pragma omp threadprivate(counter, table, record)
#pragma omp threadprivate(external_value)

static int collected[64];

static int next_number(void)
{
	static int number = 100;
#pragma omp threadprivate(number)

	number += omp_get_thread_num() + 1;
	return number;
}

static void show(const char *what)
{
	printf("%-10s", what);
	for (int i = 0; i < omp_get_max_threads(); i++)
		printf(" %d", collected[i]);
	putchar('\n');
}

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();

		counter += me;
		table[me % 6] = me;
		record.value += me * 10;
		record.name[0] = (char)('A' + me);
		external_value -= me;
		collected[me] = counter + next_number();
	}
	show("first");
	counter += 1000; /* the master's only */
#pragma omp parallel
	collected[omp_get_thread_num()] = counter;
	show("counter");
#pragma omp parallel
	collected[omp_get_thread_num()] = (int)table[omp_get_thread_num() % 6] + (int)record.value;
	show("kept");
#pragma omp parallel
	{
		int *pointer = &external_value;

		*pointer *= 2;
		collected[omp_get_thread_num()] = external_value + record.name[0] + next_number();
	}
	show("pointer");
	printf("%d %d %ld %s %d\n", counter, external_value, record.value, record.name,
	       next_number());
	return 0;
}
