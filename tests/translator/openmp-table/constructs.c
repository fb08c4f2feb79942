/* SPDX-License-Identifier: GPL-2.0-or-later */
/* constructs.c - the directives of OpenMP 3.1. */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>

#include "check.h"

#define N 60

static int threads, marks[N], kept, order[N], turn;
#pragma omp threadprivate(kept)

static int all_marked(int times)
{
	int right = 1;

	for (int i = 0; i < N; i++) {
		right &= marks[i] == times;
		marks[i] = 0;
	}
	return right;
}

static int parallel(void)
{
	int seen = 0, team = 0;

#pragma omp parallel reduction(+ : seen)
	{
		seen += omp_get_thread_num() + 1;
		team = omp_get_num_threads();
	}
	return team == threads && seen == threads * (threads + 1) / 2;
}

static int nested_parallel(void)
{
	int inner = 0;

#pragma omp parallel reduction(+ : inner)
	{
		int mine = 0;

#pragma omp parallel reduction(+ : mine)
		mine += omp_get_level() == 2;
		inner += mine > 0;
	}
	return inner == threads;
}

static int nested_alone(void)
{
	int team = 0;

#pragma omp parallel
	{
#pragma omp parallel
		{
#pragma omp master
			if (omp_get_ancestor_thread_num(1) == 0)
				team = omp_get_num_threads();
		}
	}
	return team == 1;
}

static int loop(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < N; i++)
			marks[i]++;
	}
	return all_marked(1);
}

static int sections(void)
{
	int a = 0, b = 0, c = 0;

#pragma omp parallel
	{
#pragma omp sections
		{
			a++;
#pragma omp section
			b++;
#pragma omp section
			c++;
		}
	}
	return a == 1 && b == 1 && c == 1;
}

static int single(void)
{
	int a = 0;

#pragma omp parallel
	{
#pragma omp single
		a++;
#pragma omp single
		a += 10;
	}
	return a == 11;
}

static int parallel_for(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		marks[i]++;
	return all_marked(1);
}

static int parallel_sections(void)
{
	int a = 0, b = 0;

#pragma omp parallel sections
	{
#pragma omp section
		a++;
#pragma omp section
		b++;
	}
	return a == 1 && b == 1;
}

static int master(void)
{
	int who = -1, times = 0;

#pragma omp parallel
	{
#pragma omp master
		{
			who = omp_get_thread_num();
			times++;
		}
	}
	return who == 0 && times == 1;
}

static int critical(void)
{
	int a = 0, b = 0;

#pragma omp parallel
	for (int i = 0; i < 10; i++) {
#pragma omp critical
		a++;
#pragma omp critical(named)
		b += 2;
	}
	return a == 10 * threads && b == 20 * threads;
}

static int barrier(void)
{
	int right = 1;

#pragma omp parallel reduction(&& : right)
	for (int i = 1; i < 4; i++) {
		marks[omp_get_thread_num()] = i;
#pragma omp barrier
		for (int t = 0; t < threads; t++)
			right = right && marks[t] == i;
#pragma omp barrier
	}
	for (int t = 0; t < threads; t++)
		marks[t] = 0;
	return right;
}

static int atomic_update(void)
{
	int a = 0;
	double b = 1;

#pragma omp parallel
	for (int i = 0; i < 20; i++) {
#pragma omp atomic
		a++;
#pragma omp atomic update
		b += 0.5;
	}
	return a == 20 * threads && b == 1 + 10 * threads;
}

static int atomic_capture(void)
{
	int next = 0;

#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		int mine;

#pragma omp atomic capture
		mine = next++;
		marks[mine]++;
	}
	return next == N && all_marked(1);
}

static int atomic_read_and_write(void)
{
	int arrived = 0, go = 0;

#pragma omp parallel
	{
		int seen = 0;

		/* The last to arrive lets all go on. */
#pragma omp atomic capture
		seen = ++arrived;
		if (seen == threads) {
#pragma omp atomic write
			go = 1;
		}
		for (seen = 0; !seen; sched_yield()) {
#pragma omp atomic read
			seen = go;
		}
	}
	return arrived == threads;
}

static int flush(void)
{
	int data[2] = {0}, right = 1;

	turn = 0;
#pragma omp parallel reduction(&& : right)
	{
		int me = omp_get_thread_num(), seen;

		do {
			sched_yield();
#pragma omp flush
			seen = turn;
		} while (seen != me);
		right = right && data[0] == me && data[1] == 3 * me;
		data[0]++;
		data[1] += 3;
#pragma omp flush
		turn = me + 1;
#pragma omp flush(turn)
	}
	return right;
}

static int ordered(void)
{
	int next = 0, right = 1;

#pragma omp parallel for ordered schedule(dynamic, 2)
	for (int i = 0; i < N; i++) {
#pragma omp ordered
		order[next++] = i;
	}
	for (int i = 0; i < N; i++)
		right = right && order[i] == i;
	return right;
}

static int threadprivate(void)
{
	int sum = 0;

#pragma omp parallel
	kept = omp_get_thread_num() + 5;
#pragma omp parallel reduction(+ : sum)
	sum += kept - omp_get_thread_num();
	return sum == 5 * threads;
}

static int task(void)
{
	int sum = 0;

#pragma omp parallel
	{
#pragma omp single
		for (int i = 0; i < N; i++) {
#pragma omp task
			{
				marks[i]++;
#pragma omp atomic
				sum += i;
			}
		}
	}
	return all_marked(1) && sum == N * (N - 1) / 2;
}

static int taskwait(void)
{
	int a = 0, b = 0, seen = 0;

#pragma omp parallel
	{
#pragma omp single
		{
#pragma omp task
			a = 3;
#pragma omp task
			b = 4;
#pragma omp taskwait
			seen = a * b;
		}
	}
	return seen == 12;
}

static int taskyield(void)
{
	int a = 0;

#pragma omp parallel
	{
#pragma omp single
		{
#pragma omp task
			{
				a++;
#pragma omp taskyield
				a++;
			}
		}
	}
	return a == 2;
}

static const struct check checks[] = {
	{"parallel", parallel},
	{"parallel inside parallel", nested_parallel},
	{"parallel inside parallel alone", nested_alone},
	{"for", loop},
	{"sections, section", sections},
	{"single", single},
	{"parallel for", parallel_for},
	{"parallel sections", parallel_sections},
	{"master", master},
	{"critical, critical(name)", critical},
	{"barrier", barrier},
	{"atomic, atomic update", atomic_update},
	{"atomic capture", atomic_capture},
	{"atomic read, atomic write", atomic_read_and_write},
	{"flush, flush(list)", flush},
	{"ordered", ordered},
	{"threadprivate", threadprivate},
	{"task", task},
	{"taskwait", taskwait},
	{"taskyield", taskyield},
};

int main(void)
{
	threads = omp_get_max_threads();
	return CHECK_ALL(checks);
}
