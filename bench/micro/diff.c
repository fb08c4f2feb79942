// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff.c - what cape_diff() costs, against memcmp() over the same bytes.
 *
 * memcmp() compares memory with an equal copy of it, so it reads all of both, as cape_diff() reads
 * memory and twin (memory alone where the twin stands for zeros).  The two take turns; medians are
 * printed.
 *
 * Usage: diff MEGABYTES TURNS nothing|everything|sparse|tenth twin|zeros [LOOP]
 *
 * Sparse: one word of each page changed; tenth: every tenth word, at random.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "checkpoint/diff_loop.h"

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
	{"nothing", change_nothing},
	{"everything", change_everything},
	{"sparse", change_word_per_page},
	{"tenth", change_tenth},
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

static int time_diff(struct bench *bench, const struct cape_diff_loop *loop,
		     const unsigned char *twin, double *seconds)
{
	double start = now();
	int error;

	cape_runs_clear(&bench->runs);
	error = cape_diff_with(loop, bench->memory, twin, bench->length,
			       (uint64_t)(uintptr_t)bench->memory, &bench->runs);
	*seconds = now() - start;
	return error;
}

static int measure(struct bench *bench, const struct cape_diff_loop *loop,
		   const unsigned char *twin)
{
	double plain, diff, warm_up;
	int error = time_diff(bench, loop, twin, &warm_up);

	for (size_t i = 0; i < bench->turns && !error; i++) {
		time_memcmp(bench, &bench->memcmp_seconds[i]);
		error = time_diff(bench, loop, twin, &bench->diff_seconds[i]);
	}
	if (error)
		return error;
	plain = median(bench->memcmp_seconds, bench->turns);
	diff = median(bench->diff_seconds, bench->turns);
	printf("memcmp_us %.3f\ndiff_us %.3f\nratio %.6f\n", 1e6 * plain, 1e6 * diff, diff / plain);
	printf("runs %zu\nbytes %llu\n", bench->runs.count, (unsigned long long)bench->runs.bytes);
	return 0;
}

/* The memory before and behind the change; the twin holds what was there before. */
static int measure_workload(struct bench *bench, const struct cape_diff_loop *loop,
			    const struct workload *workload, bool zeros)
{
	bench->random = 88172645463325252ull;
	for (size_t i = 0; i < bench->length && !zeros; i++)
		bench->twin[i] = (unsigned char)(i * 2654435761u >> 24);
	memcpy(bench->memory, bench->twin, bench->length);
	workload->change(bench);
	memcpy(bench->copy, bench->memory, bench->length);
	return measure(bench, loop, zeros ? NULL : bench->twin);
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

/* The one that is called NAME, or the best that this CPU can run; NULL when there is none. */
static const struct cape_diff_loop *find_loop(const char *name)
{
	const struct cape_diff_loop *const *loop = cape_diff_loops;

	for (; *loop; loop++)
		if ((*loop)->usable() && (!name || strcmp((*loop)->name, name) == 0))
			return *loop;
	return NULL;
}

static const struct workload *find_workload(const char *name)
{
	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
		if (strcmp(workloads[i].name, name) == 0)
			return &workloads[i];
	return NULL;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: diff MEGABYTES TURNS nothing|everything|sparse|tenth twin|zeros [LOOP]\n"
		"  MEGABYTES  memory to compare, 1 to 4096\n"
		"  TURNS      measurements, at least %d\n"
		"  LOOP       avx512, avx2, sse2 or portable, where this CPU has it\n",
		LEAST_TURNS);
	return 2;
}

int main(int argc, char **argv)
{
	const struct cape_diff_loop *loop;
	const struct workload *workload;
	struct bench bench = {0};
	int error;

	if (argc < 5 || argc > 6)
		return usage();
	bench.length = strtoul(argv[1], NULL, 10);
	bench.turns = strtoul(argv[2], NULL, 10);
	workload = find_workload(argv[3]);
	loop = find_loop(argv[5]);
	if (bench.length < 1 || bench.length > 4096 || bench.turns < LEAST_TURNS || !workload ||
	    !loop)
		return usage();
	bench.length <<= 20;
	error = prepare(&bench);
	if (!error)
		error = measure_workload(&bench, loop, workload, strcmp(argv[4], "zeros") == 0);
	if (error)
		fprintf(stderr, "diff: %s\n", strerror(-error));
	return error ? 1 : 0;
}
