/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print-one-thread.c - printf in single and master: in order with what is printed around them. */
#include <omp.h>
#include <stdio.h>

static int value;

static void report(const char *who)
{
	printf("%s reports %d\n", who, value);
}

int main(void)
{
	printf("before\n");
#pragma omp parallel
	{
#pragma omp single
		{
			value = 1;
			printf("single one\n");
			report("single");
		}
#pragma omp master
		{
			value = 2;
			report("master");
		}
#pragma omp barrier
#pragma omp single
		printf("partial ");
		for (int i = 0; i < 4; i++) {
#pragma omp single
			{
				value += i;
				printf("[%d]", value);
			}
		}
#pragma omp single
		putchar('\n');
		if (omp_get_thread_num() == omp_get_num_threads() - 1)
			report("the last thread");
#pragma omp barrier
#pragma omp sections
		{
			report("a section");
		}
	}
	printf("between\n");
#pragma omp parallel for
	for (int i = 0; i < 50; i++)
		if (i == 49)
			report("the last iteration");
	printf("no newline: ");
	fflush(stdout);
#pragma omp parallel
#pragma omp master
	puts("master's");
	puts("after");
	return 0;
}
