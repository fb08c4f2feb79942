/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-log-pushes.c - a node takes a lock, so what it sends next is told by the log, while another
 * pushes to it what it holds: a page and many.
 */
#include <omp.h>
#include <stdio.h>

#define FEW	1024
#define MANY	65536
#define STEP	64 /* numbers: so few of a page that it is not worth a claim */
#define ROUNDS	6
#define CHANGES 4

static double few[FEW], many[MANY];
static long order;

static void change(double *numbers, int count, int step, double by)
{
	for (int i = 0; i < count; i += step)
		numbers[i] += by;
}

/* The second thread does not look, so not all come to hold the pages. */
static int look(const double *numbers, int count, double expected)
{
	int wrong = 0;

	for (int i = 0; i < count && omp_get_thread_num() != 1; i += STEP)
		wrong += numbers[i] != expected;
	return wrong;
}

static int run(double *numbers, int count)
{
	int wrong = 0;

#pragma omp parallel reduction(+ : wrong)
	{
		int thread = omp_get_thread_num(), writes = thread == omp_get_num_threads() - 1;
		double expected = 0;

		for (int i = 0; i < ROUNDS * CHANGES; i++) {
			if (writes)
				change(numbers, count, i ? STEP : 1, i + 1);
			expected += i + 1;
			if (thread == 0 && i % CHANGES == 1) {
#pragma omp critical
				order = 3 * order + i;
			}
#pragma omp barrier
			wrong += look(numbers, count, expected);
#pragma omp barrier
		}
	}
	return wrong;
}

int main(void)
{
	int wrong = run(few, FEW);

	printf("few: %d wrong\n", wrong);
	wrong = run(many, MANY);
	printf("many: %d wrong, %ld\n", wrong, order);
	return 0;
}
