// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * task-nodes.c - tasks that last are run by all threads of all nodes; what they change is there
 * after a taskwait, a taskgroup and the end of the construct, and tasks inside them are done.
 *
 * Output: the same text for any number of nodes and threads.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TASKS 120
#define INNER 3

static long result[TASKS], inner[TASKS][INNER];
static int ran_by[TASKS];
static long total;

/* A task's work: waits, so that others run meanwhile where there is one processor. */
static void rest(long microseconds)
{
	nanosleep(&(struct timespec){0, microseconds * 1000}, NULL);
}

static long sum(long first, double step, int count)
{
	long all = 0;

	for (int i = 0; i < count; i++)
		all += first + (long)(i * step);
	return all;
}

static void run(int i, long first, double step)
{
	rest(1000);
	ran_by[i] = 1 + omp_get_thread_num();
	result[i] = sum(first, step, i);
	for (int j = 0; j < INNER; j++) {
#pragma omp task firstprivate(i, j) shared(inner)
		inner[i][j] = result[i] * (j + 1);
	}
	if (i % 2) {
#pragma omp taskwait
		inner[i][0] += inner[i][INNER - 1];
	}
}

static void check(const char *when, int from, int to)
{
	long wrong = 0;

	for (int i = from; i < to; i++) {
		long is = sum(i + 1l, 2.5, i);

		wrong += result[i] != is;
		for (int j = 0; j < INNER; j++)
			wrong += inner[i][j] != is * (j + 1) + (i % 2 && !j) * is * INNER;
	}
	printf("%s: %ld wrong\n", when, wrong);
}

static int threads_that_ran(void)
{
	static char seen[4096];
	int count = 0;

	for (int i = 0; i < TASKS; i++) {
		count += !seen[ran_by[i]];
		seen[ran_by[i]] = 1;
	}
	return count;
}

int main(void)
{
	int team = 1, ran, more = 0;

#pragma omp parallel
	{
#pragma omp single
		{
			team = omp_get_num_threads();
			for (int i = 0; i < TASKS / 2; i++) {
				long first = i + 1;
#pragma omp task firstprivate(i, first)
				run(i, first, 2.5);
			}
#pragma omp taskwait
			/* What is inside tasks may not be done yet. */
			for (int i = 0; i < TASKS / 2; i++)
				total += result[i];
#pragma omp taskgroup
			for (int i = TASKS / 2; i < 3 * TASKS / 4; i++) {
				long first = i + 1;
#pragma omp task firstprivate(i, first)
				run(i, first, 2.5);
			}
			check("after the group", TASKS / 2, 3 * TASKS / 4);
			for (int i = 3 * TASKS / 4; i < TASKS; i++) {
				long first = i + 1;
#pragma omp task firstprivate(i, first)
				run(i, first, 2.5);
			}
		}
#pragma omp single nowait
#pragma omp task
		more++;
	}
	check("after the region", 0, TASKS);
	ran = threads_that_ran();
	printf("total %ld, more %d, most threads took part: %d\n", total, more,
	       team < 2 || ran > team / 2);
	return 0;
}
