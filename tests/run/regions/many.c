// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many.c - one region with all kinds of constructs in its rounds: a team of some of the nodes,
 * sections, a single that copies to all, ordered, critical, atomic, tasks, a lock, memory that a
 * node allocates and others free, thread-local variables, random numbers, recursion, signals that
 * each node blocks for itself.
 *
 * Usage: many STEPS [MICROSECONDS [THREADS]]
 */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARTS 64

static long sum[3], order, parts[PARTS], section_runs[3];
static char *text;
static __thread int turns = 5;
static omp_lock_t lock;

/* Waits at each depth, with what it has there. */
static long deep(int depth, long value)
{
	long mine[16];

	for (int i = 0; i < 16; i++)
		mine[i] = value * i + depth;
	if (depth > 0)
		value = deep(depth - 1, value + 1);
#pragma omp barrier
	for (int i = 0; i < 16; i++)
		value += mine[i] % 7;
	return value;
}

/* The first of them in even nodes, the second in odd ones. */
static void block(int rank)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, rank % 2 ? SIGUSR2 : SIGUSR1);
	sigprocmask(SIG_SETMASK, &set, NULL);
}

static int blocked(void)
{
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, SIGUSR1) + 2 * sigismember(&set, SIGUSR2);
}

static void tasks(int step)
{
#pragma omp single
	for (int part = 0; part < PARTS; part += 8)
#pragma omp task firstprivate(part)
		for (int i = part; i < part + 8; i++)
			parts[i] += i * step;
}

static void rounds(int step, unsigned *seed, long *own)
{
	long copied = 0;

#pragma omp sections
	{
#pragma omp section
		section_runs[0] += step;
#pragma omp section
		section_runs[1] += step;
#pragma omp section
		section_runs[2] += step;
	}
#pragma omp single copyprivate(copied)
	copied = step + section_runs[1];
	*own += copied;
#pragma omp for ordered schedule(dynamic)
	for (int i = 0; i < 8; i++) {
#pragma omp ordered
		order = order * 31 % 100003 + i;
	}
#pragma omp for ordered schedule(static, 1)
	for (int i = 0; i < 4; i++) {
#pragma omp ordered
		{
			printf("turn %d of step %d\n", i, step);
			fflush(stdout);
		}
	}
#pragma omp for schedule(guided) nowait
	for (int i = 0; i < PARTS; i++)
		parts[i] += i;
#pragma omp critical
	sum[0] += step;
#pragma omp atomic
	sum[1] += 3;
	omp_set_lock(&lock);
	sum[2] += 1;
	omp_unset_lock(&lock);
	*own += rand_r(seed) % 10;
	turns += omp_get_thread_num() + 1;
	*own += deep(3, turns);
	tasks(step);
#pragma omp single
	{
		free(text);
		text = malloc(100 + (size_t)step);
		snprintf(text, 100, "step %d: %ld %ld %ld", step, sum[0], sum[1], sum[2]);
	}
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 5, wanted = argc > 3 ? atoi(argv[3]) : 0;
	unsigned pause = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	long all = 0;

	omp_init_lock(&lock);
	if (wanted)
		omp_set_num_threads(wanted);
	text = strdup("begin");
	/* A region before: what nodes keep from one to the next is theirs. */
#pragma omp parallel
	turns += 100 * omp_get_thread_num();
	for (int again = 0; again < 2; again++) {
#pragma omp parallel reduction(+ : all)
		{
			unsigned seed = 7u + (unsigned)omp_get_thread_num();
			long own = omp_get_thread_num();

			block(omp_get_thread_num());
			for (int step = 0; step < steps; step++) {
				rounds(step, &seed, &own);
#pragma omp master
				{
					printf("%s %d %ld %ld %ld\n", text, turns, order, parts[9],
					       own);
					fflush(stdout);
				}
				if (pause)
					usleep(pause);
#pragma omp barrier
			}
			all += own + 1000 * blocked() * (omp_get_thread_num() + 1);
		}
		printf("all %ld, turns %d\n", all, turns);
	}
#pragma omp parallel reduction(+ : all)
	all += turns;
	printf("end %ld %ld\n", all, sum[0] + sum[1] + sum[2]);
	return 0;
}
