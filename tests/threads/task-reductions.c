/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task-reductions.c - tasks with parts of reductions run at the same time: of each pair one waits
 * for the other, by each construct that tasks can have parts of.
 *
 * Prints for each construct the sum, and how many tasks have met another.
 */
#include <stdio.h>
#include <unistd.h>

static int arrived, met;
static long global;

/* Both of two tasks come back from here true if they run at the same time. */
static void meet(void)
{
	int mine, now = 0;

#pragma omp atomic capture
	mine = arrived++;
	for (int i = 0; i < 20000 && now < mine / 2 * 2 + 2; i++) {
		usleep(500);
#pragma omp atomic read
		now = arrived;
	}
	if (now >= mine / 2 * 2 + 2)
#pragma omp atomic
		met++;
}

static void report(const char *what, long sum)
{
	printf("%s %ld %d\n", what, sum, met);
	arrived = met = 0;
}

static void orphan(int i)
{
#pragma omp task in_reduction(+ : global) firstprivate(i)
	{
		meet();
		global += i;
	}
}

static void groups(void)
{
	long sum = 100, table[3] = {0};

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum, table [1:2])
	for (int i = 0; i < 4; i++) {
#pragma omp task in_reduction(+ : sum, table [1:2])
		{
			meet();
			sum += i;
			table[1 + i % 2] += i;
		}
	}
	report("taskgroup", sum + 1000 * table[1] + 10000 * table[2]);
	global = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : global)
	{
		orphan(1);
		orphan(2);
	}
	report("function", global);
}

/* Their parts come to the group, not to the copy of the task around, which ends before. */
static void nested(void)
{
	long sum = 1;

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(* : sum)
	{
#pragma omp task in_reduction(* : sum)
		{
			sum *= 2;
			for (int i = 0; i < 2; i++) {
#pragma omp task in_reduction(* : sum) firstprivate(i)
				{
					meet();
					sum *= 3 + 2 * i;
				}
			}
		}
	}
	report("nested", sum);
}

static void loops(void)
{
	long sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop reduction(+ : sum) num_tasks(2)
	for (int i = 0; i < 2; i++) {
		meet();
		sum += i + 1;
	}
	report("taskloop", sum);
	sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
#pragma omp taskloop in_reduction(+ : sum) num_tasks(2) nogroup
	for (int i = 0; i < 2; i++) {
		meet();
		sum += i + 1;
	}
	report("taskloop in_reduction", sum);
}

static void constructs(void)
{
	long sum = 0, largest = -1;

	global = 0;
#pragma omp parallel num_threads(2) reduction(task, + : sum, global)
	{
		sum += 10;
#pragma omp single nowait
		for (int i = 0; i < 4; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
			{
				meet();
				sum += i;
			}
			orphan(i);
		}
	}
	report("parallel", sum + 100 * global);
	sum = 0;
#pragma omp parallel num_threads(2)
	{
#pragma omp for reduction(task, + : sum) reduction(task, max : largest)
		for (int i = 0; i < 4; i++) {
#pragma omp task in_reduction(+ : sum) in_reduction(max : largest) firstprivate(i)
			{
				meet();
				sum += i;
				largest = i > largest ? i : largest;
			}
		}
#pragma omp single
		sum += 100 * largest;
#pragma omp sections reduction(task, + : sum)
		{
#pragma omp task in_reduction(+ : sum)
			{
				meet();
				sum += 1000;
			}
#pragma omp section
#pragma omp task in_reduction(+ : sum)
			{
				meet();
				sum += 2000;
			}
		}
	}
	report("worksharing", sum);
}

int main(void)
{
	groups();
	nested();
	loops();
	constructs();
	return 0;
}
