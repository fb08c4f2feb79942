/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * team.h - what the tests of threads have in common: regions of teams of 1 to 16, called as
 * translated programs call them.
 *
 * For a stress, TEAM_SIZES="2 64" says how large the teams are, TEAM_SECONDS=60 how long the tests
 * are repeated, and TEAM_TESTS='*locks*' which ones.
 */
#ifndef TEAM_H
#define TEAM_H

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/threads.h"
#include "openmp/constructs.h"
#include "threads/worker.h"
#include "omp.h"

#define ITERATIONS 1000u
#define ROUNDS	   20u

/* What is linked into programs only, and what the test has no use for. */
const struct cape_constructs *cape_constructs = &cape_constructs_of_threads;
const struct cape_task_calls cape_tasks_of_nodes;
const struct cape_task_reduction_calls cape_task_reductions_of_nodes;
const struct cape_lock_calls cape_locks_of_nodes;

void cape_takes(void)
{
}

/* threads/own_memory.c, where there is one node. */
void *cape_must_resize(void *block, size_t size)
{
	return realloc(block, size);
}

void *cape_try_allocate(size_t size)
{
	return aligned_alloc(CAPE_CACHE_LINE,
			     (size + CAPE_CACHE_LINE - 1) / CAPE_CACHE_LINE * CAPE_CACHE_LINE);
}

void cape_release(void *block)
{
	free(block);
}

#ifdef __SANITIZE_ADDRESS__
/* What leads to the pool's memory lies in addresses (base/private.c) that it does not search. */
const char *__lsan_default_options(void);

const char *__lsan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

#ifdef __SANITIZE_THREAD__
/* The run time's own addresses (base/private.c) are the sanitizer's. */
int cape_private_start(struct cape_private *private)
{
	(void)private;
	return 0;
}

void *cape_private_reserve(struct cape_private *private, size_t size)
{
	void *got = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)private;
	return got == MAP_FAILED ? NULL : got;
}

void cape_private_blocks_init(struct cape_private_blocks *blocks, struct cape_private *private)
{
	*blocks = (struct cape_private_blocks){.memory = cape_memory_pages, .private = private};
}
#endif

static void start_openmp(struct cape_runtime *runtime)
{
	cape_program_by_threads = 1;
	runtime->openmp->settings.max_active_levels = 1;
	runtime->openmp->settings.schedule_kind = omp_sched_static;
	runtime->openmp->max_task_priority = 10;
}

CAPE_PART(openmp, start_openmp);

static unsigned sizes[16] = {1, 2, 3, 4, 7, 16};
static size_t sizes_used = 6;

static unsigned team; /* of the region that runs */
static unsigned seen[ITERATIONS];
static unsigned long total;
static unsigned wrong;

static void count(unsigned *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void expect(bool right)
{
	if (!right)
		count(&wrong);
}

static void run(unsigned size, void (*body)(void *data), void *data)
{
	team = size;
	wrong = 0;
	cape_begin(CAPE_PARALLEL, 0, 0);
	cape_num_threads((int)size);
	ckpt_start();
	cape_region_run(body, data);
	cape_end(CAPE_PARALLEL, 0);
	assert_int_equal(wrong, 0);
	assert_int_equal(omp_get_num_threads(), 1);
	assert_int_equal(omp_get_level(), 0);
	assert_false(omp_in_parallel());
}

static void for_all_sizes(void (*body)(void *data), void (*check)(void))
{
	for (unsigned round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < sizes_used; i++) {
			memset(seen, 0, sizeof(seen));
			total = 0;
			run(sizes[i], body, NULL);
			check();
		}
}

static void start_threads(void)
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_threads_start(runtime);
	cape_parts_start(runtime);
}

/* A number of the environment's, up to MOST. */
static unsigned asked(const char *text, unsigned long most)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*end || !number || number > most) {
		fprintf(stderr, "'%s' is no number from 1 to %lu\n", text, most);
		exit(2);
	}
	return (unsigned)number;
}

static void take_sizes(void)
{
	char *words = getenv("TEAM_SIZES");
	size_t most = sizeof(sizes) / sizeof(sizes[0]);

	if (!words)
		return;
	sizes_used = 0;
	for (char *word = strtok(words, " "); word && sizes_used < most; word = strtok(NULL, " "))
		sizes[sizes_used++] = asked(word, ITERATIONS);
}

static int run_teams(const struct CMUnitTest *tests, size_t count)
{
	const char *seconds = getenv("TEAM_SECONDS");
	time_t end = time(NULL) + (seconds ? asked(seconds, INT_MAX) : 0);
	int failed;

	take_sizes();
	if (getenv("TEAM_TESTS"))
		cmocka_set_test_filter(getenv("TEAM_TESTS"));
	start_threads();
	do
		failed = _cmocka_run_group_tests("teams", tests, count, NULL, NULL);
	while (!failed && time(NULL) < end);
	return failed;
}

#endif
