// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stencil.c - a run that is one parallel region: a stencil in the heap, and all that a node has of
 * its own there: private and firstprivate variables, an array of a size known at run time, a
 * threadprivate counter, a reduction of the whole region, barriers in a function that it calls.
 *
 * Usage: stencil STEPS [MICROSECONDS [FILE]]: step 30 waits as long as there is the file.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SIZE 40000

static double total;
static int turns;
static long steps_done;
#pragma omp threadprivate(turns)

static void settle(int step, double *mine)
{
	double before = *mine;

#pragma omp barrier
	*mine = before + step;
	turns++;
}

static void await_removal(const char *file)
{
	for (int i = 0; i < 2400 && access(file, F_OK) == 0; i++)
		usleep(50000);
}

static void run(double *now, double *next, int steps, unsigned pause, const char *file)
{
	double weight[4] = {0.25, 0.5, 0.25, 0};
	double sum = 0, last = 0;
	int odd = 3;

#pragma omp parallel firstprivate(weight, odd) reduction(+ : sum)
	{
		int rank = omp_get_thread_num(), length = 100 + 10 * rank;
		double own[length];

		for (int i = 0; i < length; i++)
			own[i] = i;
		for (int step = 0; step < steps; step++) {
			double mine = 0;

#pragma omp for
			for (int i = 1; i < SIZE - 1; i++)
				next[i] = weight[0] * now[i - 1] + weight[1] * now[i] +
					  weight[2] * now[i + 1];
#pragma omp for reduction(+ : total) schedule(dynamic, 1000)
			for (int i = 1; i < SIZE - 1; i++)
				total += (int)(next[i] * 64);
#pragma omp for
			for (int i = 1; i < SIZE - 1; i++)
				now[i] = next[i];
			for (int i = 0; i < length; i++)
				own[i] += weight[i % 4];
			weight[3] += 1;
			odd = odd * 5 % 1009;
			settle(step, &mine);
			sum += rank == 0 ? mine + own[step % 100] + odd : 0;
#pragma omp single
			{
				steps_done++;
				last = now[SIZE / 2];
			}
#pragma omp master
			{
				printf("step %d: %d %.17g %.17g %ld %.17g\n", step, turns, total,
				       own[7] + weight[3], steps_done, last);
				fflush(stdout);
				if (step == 30)
					await_removal(file);
			}
			if (pause)
				usleep(pause);
		}
#pragma omp critical
		total += odd - odd + 1.0 / omp_get_num_threads();
	}
	printf("end: %.17g %.17g %d\n", sum, total, turns);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10;
	double *now = malloc(SIZE * sizeof(*now)), *next = malloc(SIZE * sizeof(*next));
	double sum = 0;

	for (int i = 0; i < SIZE; i++)
		now[i] = next[i] = i % 17 + 1.0 / (i + 1);
	run(now, next, steps, argc > 2 ? (unsigned)atoi(argv[2]) : 0, argc > 3 ? argv[3] : "");
	for (int i = 0; i < SIZE; i++)
		sum += now[i];
	printf("sum %.17g\n", sum);
	free(now);
	free(next);
	return 0;
}
