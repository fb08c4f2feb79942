// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff.c - what cape_diff() costs, against memcmp() over the same bytes.
 *
 * memcmp() compares memory with an equal copy of it, so it reads all of both, as cape_diff() reads
 * memory and twin (memory alone where the twin stands for zeros).  The two take turns; the table
 * shows medians.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "checkpoint/diff_method.h"

#define PAGE	    4096ul
#define LEAST_TURNS 9

struct bench {
	size_t length;
	size_t turns;
	unsigned char *memory, *twin, *copy; /* copy: equal to memory */
	uint64_t random;
	double *memcmp_seconds, *diff_seconds;
	struct cape_runs runs;
};

struct workload {
	const char *name;
	void (*change)(struct bench *bench);
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint64_t next_random(struct bench *bench)
{
	bench->random ^= bench->random << 13;
	bench->random ^= bench->random >> 7;
	bench->random ^= bench->random << 17;
	return bench->random;
}

static void change_nothing(struct bench *bench)
{
	(void)bench;
}

static void change_everything(struct bench *bench)
{
	for (size_t i = 0; i < bench->length; i++)
		bench->memory[i] ^= 0xff;
}

static void change_word_per_page(struct bench *bench)
{
	for (size_t i = 0; i < bench->length; i += PAGE)
		bench->memory[i + next_random(bench) % (PAGE / CAPE_WORD) * CAPE_WORD] ^= 0xff;
}

static void change_tenth(struct bench *bench)
{
	for (size_t i = 0; i < bench->length; i += CAPE_WORD)
		if (next_random(bench) % 10 == 0)
			bench->memory[i] ^= 0xff;
}

static const struct workload workloads[] = {
	{"nothing changed", change_nothing},
	{"everything changed", change_everything},
	{"one word per page", change_word_per_page},
	{"10 % random words", change_tenth},
};

static int compare_seconds(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return (first > second) - (first < second);
}

static double median(double *seconds, size_t count)
{
	qsort(seconds, count, sizeof(*seconds), compare_seconds);
	return seconds[count / 2];
}

/* The result is used, or the compiler could leave the comparison out. */
static void time_memcmp(struct bench *bench, double *seconds)
{
	double start = now();

	if (memcmp(bench->memory, bench->copy, bench->length) != 0)
		abort();
	*seconds = now() - start;
}

static int time_diff(struct bench *bench, const struct cape_diff_method *method,
		     const unsigned char *twin, double *seconds)
{
	double start = now();
	int error;

	cape_runs_clear(&bench->runs);
	error = cape_diff_with(method, bench->memory, twin, bench->length,
			       (uint64_t)(uintptr_t)bench->memory, &bench->runs);
	*seconds = now() - start;
	return error;
}

static int measure(struct bench *bench, const struct cape_diff_method *method,
		   const struct workload *workload, const unsigned char *twin)
{
	double plain, diff, warm_up;
	int error = time_diff(bench, method, twin, &warm_up);

	for (size_t i = 0; i < bench->turns && !error; i++) {
		time_memcmp(bench, &bench->memcmp_seconds[i]);
		error = time_diff(bench, method, twin, &bench->diff_seconds[i]);
	}
	if (error)
		return error;
	plain = median(bench->memcmp_seconds, bench->turns);
	diff = median(bench->diff_seconds, bench->turns);
	printf("%-9s %-19s %-5s %10.0f %10.0f %6.2f %9zu %10llu\n", method->name, workload->name,
	       twin ? "twin" : "zeros", 1e6 * plain, 1e6 * diff, diff / plain, bench->runs.count,
	       (unsigned long long)bench->runs.bytes);
	return 0;
}

static int measure_workload(struct bench *bench, const struct cape_diff_method *method,
			    const struct workload *workload)
{
	int error;

	bench->random = 88172645463325252ull;
	for (size_t i = 0; i < bench->length; i++)
		bench->twin[i] = (unsigned char)(i * 2654435761u >> 24);
	memcpy(bench->memory, bench->twin, bench->length);
	workload->change(bench);
	memcpy(bench->copy, bench->memory, bench->length);
	error = measure(bench, method, workload, bench->twin);
	if (error)
		return error;

	memset(bench->memory, 0, bench->length);
	workload->change(bench);
	memcpy(bench->copy, bench->memory, bench->length);
	return measure(bench, method, workload, NULL);
}

static void *pages(size_t length)
{
	void *got = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return got == MAP_FAILED ? NULL : got;
}

static int prepare(struct bench *bench)
{
	cape_runs_init(&bench->runs, &cape_memory_pages);
	bench->memory = pages(bench->length);
	bench->twin = pages(bench->length);
	bench->copy = pages(bench->length);
	bench->memcmp_seconds = calloc(bench->turns, sizeof(double));
	bench->diff_seconds = calloc(bench->turns, sizeof(double));
	if (!bench->memory || !bench->twin || !bench->copy || !bench->memcmp_seconds ||
	    !bench->diff_seconds)
		return -ENOMEM;
	return 0;
}

static int run(struct bench *bench, bool all)
{
	const size_t count = sizeof(workloads) / sizeof(workloads[0]);
	const struct cape_diff_method *const *method = cape_diff_methods;
	int error = prepare(bench);

	printf("%-9s %-19s %-5s %10s %10s %6s %9s %10s\n", "method", "changed", "base", "memcmp us",
	       "diff us", "ratio", "runs", "bytes");
	for (; *method && !error; method++) {
		if (!(*method)->usable())
			continue;
		for (size_t i = 0; i < count && !error; i++)
			error = measure_workload(bench, *method, &workloads[i]);
		if (!all)
			break;
	}
	return error;
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && strcmp(argv[1], "--all") == 0;
	struct bench bench = {.length = 64, .turns = 11};
	char **number = argv + 1 + all;
	int error;

	if (number < argv + argc)
		bench.length = strtoul(number[0], NULL, 10);
	if (number + 1 < argv + argc)
		bench.turns = strtoul(number[1], NULL, 10);
	if (bench.length < 1 || bench.length > 4096 || bench.turns < LEAST_TURNS) {
		fprintf(stderr,
			"usage: diff [--all] [MEGABYTES [TURNS]]\n"
			"  --all      every method that this CPU can run, not only the best\n"
			"  MEGABYTES  memory to compare, 1 to 4096 (64)\n"
			"  TURNS      measurements, at least %d (11)\n",
			LEAST_TURNS);
		return 2;
	}
	bench.length <<= 20;
	error = run(&bench, all);
	if (error)
		fprintf(stderr, "diff: %s\n", strerror(-error));
	return error ? 1 : 0;
}
