// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * grouped.c - sequential code makes a task group with reductions, in it parallel regions that are
 * saved inside, and tasks before, between and behind them that add to its variables; each region
 * has task reductions of its own, of a variable of the same name, too.
 *
 * Usage: grouped STEPS [MICROSECONDS]
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define REGIONS 3

struct pair {
	long low, high;
};

#pragma omp declare reduction(widen                                                                \
			      : struct pair                                                        \
			      : omp_out.low = omp_in.low < omp_out.low ? omp_in.low : omp_out.low, \
				omp_out.high =                                                     \
					omp_in.high > omp_out.high ? omp_in.high : omp_out.high)   \
	initializer(omp_priv = {1000000, -1000000})

static long steps_done;

/* A region whose tasks add to a variable of its own. */
static long run(int region, int steps, unsigned pause)
{
	long sum = 0;

#pragma omp parallel reduction(task, + : sum)
	for (int step = 0; step < steps; step++) {
#pragma omp task in_reduction(+ : sum) firstprivate(step)
		sum += step * (omp_get_thread_num() + 1l);
#pragma omp taskwait
#pragma omp single
		steps_done++;
#pragma omp master
		{
			printf("region %d, step %d: %ld\n", region, step, steps_done);
			fflush(stdout);
		}
		if (pause)
			usleep(pause);
	}
	return sum;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10;
	unsigned pause = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	long sum = 3, list[4] = {0};
	struct pair range = {1000000, -1000000};
	int rank_of[REGIONS];

#pragma omp taskgroup task_reduction(+ : sum, list[:4]) task_reduction(widen : range)
	{
#pragma omp task in_reduction(+ : sum)
		sum += 10;
		for (int region = 0; region < REGIONS; region++) {
			long got = run(region, steps, pause), inner = 0;

#pragma omp task in_reduction(+ : sum, list[:4]) in_reduction(widen : range)
			{
				sum += got;
				list[region] += got;
				list[3]++;
				range.low = range.high = got - 5000l * region;
			}
#pragma omp taskgroup task_reduction(+ : inner)
			{
#pragma omp parallel
				for (int step = 0; step < steps; step++) {
#pragma omp barrier
#pragma omp master
					{
						printf("region %d, inner step %d\n", region, step);
						fflush(stdout);
						rank_of[region] = step;
					}
					if (pause)
						usleep(pause);
				}
#pragma omp task in_reduction(+ : inner, sum)
				{
					inner += rank_of[region];
					sum += 7;
				}
			}
#pragma omp task in_reduction(+ : sum)
			sum += inner;
		}
	}
	printf("end: %ld, %ld %ld %ld %ld, %ld to %ld, %ld\n", sum, list[0], list[1], list[2],
	       list[3], range.low, range.high, steps_done);
	return 0;
}
