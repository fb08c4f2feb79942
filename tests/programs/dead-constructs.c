/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dead-constructs.c - what constructs and routines of OpenMP leave on the stack of sequential code,
 * and in registers, is alike on all nodes: a later variable that is not initialised begins with it.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "dead.h"

static long shared[64], turn;
static int few = 1;
static omp_lock_t lock;
static omp_nest_lock_t nest;
static double values[4];

/* Each thread has made, published and taken other things than others, as often as it likes. */
static void differ(void)
{
#pragma omp parallel
	{
		int self = omp_get_thread_num();

		for (int i = 0; i <= self * 3; i++) {
#pragma omp critical(count)
			shared[self % 64]++;
#pragma omp flush
		}
		omp_set_lock(&lock);
		shared[63]++;
		omp_unset_lock(&lock);
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 8; i++) {
#pragma omp atomic
			turn += i;
		}
	}
}

static void with_barrier(void)
{
#pragma omp barrier
}

static void with_flush(void)
{
#pragma omp flush
}

static void with_flushed(void)
{
#pragma omp flush(turn)
}

static void with_wait(void)
{
	for (int i = 0; i < 41 && *(volatile long *)&turn < 1000000; i++) {
#pragma omp flush
	}
}

static void with_critical(void)
{
#pragma omp critical(count)
	shared[0]++;
}

static void with_atomic(void)
{
#pragma omp atomic
	turn++;
}

static void with_atomic_read(void)
{
	long now;

#pragma omp atomic read
	now = turn;
	shared[1] = now;
}

static void with_capture(void)
{
	long now;

#pragma omp atomic capture seq_cst
	now = turn++;
	shared[2] = now;
}

static void with_lock(void)
{
	omp_set_lock(&lock);
	shared[3]++;
	omp_unset_lock(&lock);
}

static void with_test(void)
{
	if (omp_test_lock(&lock))
		omp_unset_lock(&lock);
}

static void with_nest(void)
{
	omp_set_nest_lock(&nest);
	if (omp_test_nest_lock(&nest))
		omp_unset_nest_lock(&nest);
	omp_unset_nest_lock(&nest);
}

static void with_held(void)
{
#pragma omp parallel
	{
#pragma omp master
		omp_set_lock(&lock);
	}
	omp_unset_lock(&lock);
}

static void with_loop(void)
{
	long sum = 0;

#pragma omp for
	for (int i = 0; i < 10; i++)
		shared[4] += i;
#pragma omp parallel for reduction(+ : sum) if (few == 0) schedule(dynamic)
	for (int i = 0; i < 10; i++)
		sum += i;
	shared[5] += sum;
}

static void with_ordered(void)
{
#pragma omp parallel for ordered num_threads(few)
	for (int i = 0; i < 10; i++) {
#pragma omp ordered
		shared[6] += i;
	}
}

static void with_sections(void)
{
#pragma omp parallel sections num_threads(few)
	{
#pragma omp section
		shared[7]++;
#pragma omp section
		shared[8]++;
	}
}

static void with_single(void)
{
	long value = 0;

#pragma omp parallel num_threads(few) firstprivate(value)
	{
#pragma omp single copyprivate(value)
		value = 5;
#pragma omp master
		shared[9] += value;
#pragma omp barrier
	}
}

static void with_tasks(void)
{
#pragma omp taskgroup
	{
#pragma omp task depend(out : shared[10])
		shared[10]++;
#pragma omp taskyield
	}
#pragma omp taskwait
#pragma omp taskloop grainsize(2)
	for (int i = 0; i < 5; i++)
		shared[11]++;
}

static void with_questions(void)
{
	shared[13] = omp_get_thread_num() + omp_get_num_threads() + omp_get_level() +
		     omp_in_parallel() + omp_get_ancestor_thread_num(0) + omp_get_team_size(0) +
		     omp_in_final() + omp_get_num_procs() + omp_get_thread_limit() +
		     omp_get_place_num();
	omp_set_schedule(omp_sched_dynamic, 3);
}

static void with_clock(void)
{
	values[0] = omp_get_wtime() * 0 + omp_get_wtick();
}

/* Other pages are one node's, and come. */
static void with_pages(void)
{
	static long pages[64][512];

#pragma omp parallel for
	for (int i = 0; i < 64; i++)
		for (int j = 0; j < 512; j++)
			pages[i][j] = i * j + few;
	shared[14] += pages[5][7] + pages[63][511];
}

static void with_heap(void)
{
	char *block = malloc(300), *other = realloc(block, 3000);

	free(other);
}

static const struct {
	const char *name;
	void (*call)(void);
} construct[] = {
	{"barrier", with_barrier},
	{"flush", with_flush},
	{"flush of a list", with_flushed},
	{"a loop that waits", with_wait},
	{"critical", with_critical},
	{"atomic", with_atomic},
	{"atomic read", with_atomic_read},
	{"atomic capture", with_capture},
	{"a lock", with_lock},
	{"a lock that is tested", with_test},
	{"a nest lock", with_nest},
	{"a lock that a region has set", with_held},
	{"loops", with_loop},
	{"ordered", with_ordered},
	{"sections", with_sections},
	{"single and master", with_single},
	{"tasks", with_tasks},
	{"questions", with_questions},
	{"the clock", with_clock},
	{"pages", with_pages},
	{"the heap", with_heap},
};

int main(void)
{
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
	look();
	for (unsigned i = 0; i < sizeof(construct) / sizeof(construct[0]); i++) {
		differ();
		look();
		construct[i].call();
		printf("%s: %s\n", construct[i].name, look() ? "differs" : "alike");
	}
	return 0;
}
