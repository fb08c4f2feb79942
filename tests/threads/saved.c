// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * saved.c - state of all kinds that is to outlive a restart, for tests/threads/services.t.
 *
 * Usage: saved STEPS MILLISECONDS FILE [SAVE]: so many steps, each of two regions and of so long.
 * Before the last it waits until there is the file SAVE, however slow the disk is.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCKS	64
#define MEMBERS 4

static int own;
#pragma omp threadprivate(own)

/* Sequential code has them all the time. */
static omp_lock_t held;
static omp_nest_lock_t nest;

static char *block[BLOCKS];
static long table[100000];

/* Blocks come and go in regions, got by one thread and freed by another. */
static void use_heap(int step)
{
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < BLOCKS; i++) {
		int from = (i + step) % BLOCKS;
		size_t size = 16 + (size_t)(from * 997 + step * 131) % 30000;

		free(block[from]);
		block[from] = malloc(size);
		memset(block[from], from + step, size);
		free(calloc(1, size / 2));
	}
}

static unsigned long sum_of_heap(int step)
{
	unsigned long sum = 0;

	for (int from = 0; from < BLOCKS; from++) {
		size_t size = 16 + (size_t)(from * 997 + step * 131) % 30000;

		for (size_t at = 0; at < size; at++)
			sum = sum * 31 + (unsigned char)block[from][at];
	}
	return sum;
}

/* What sequential code gets is at the same place on all nodes. */
static unsigned long use_row(int step)
{
	unsigned long sum = 0, *row = malloc(4000 * sizeof(*row));

#pragma omp parallel for
	for (int i = 0; i < 4000; i++)
		row[i] = (unsigned long)(i * step + 1);
	for (int i = 0; i < 4000; i++)
		sum = sum * 31 + row[i];
	if (step % 2)
		free(row);
	return sum;
}

static void await(const char *name)
{
	while (access(name, F_OK) < 0)
		usleep(10000);
}

int main(int argc, char **argv)
{
	int steps = atoi(argv[1]), milliseconds = atoi(argv[2]);
	FILE *file = fopen(argv[3], "w+");
	long *mapped = mmap(NULL, sizeof(table), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long line = 0, kept = 0, sum = 0, atoms = 0;
	unsigned long heap = 0;
	int got = 0;   /* locks that are held */
	int alike = 1; /* all teams of MEMBERS were as large as that */

	if (argc < 4 || !file || mapped == MAP_FAILED)
		return 1;
	omp_init_lock(&held);
	omp_set_lock(&held);
	omp_init_nest_lock(&nest);
	omp_set_nest_lock(&nest);
	for (int step = 0; step < steps; step++) {
		int differ = 0;

		if (argc > 4 && step == steps - 1)
			await(argv[4]);
		use_heap(step);
		heap = heap * 31 + sum_of_heap(step) + use_row(step);
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < 100000; i++) {
			table[i] += i ^ step;
			mapped[i] += table[i];
			sum += mapped[i];
		}
		/* Values stay between teams of one size. */
#pragma omp parallel num_threads(MEMBERS) reduction(+ : differ, got)
		{
#pragma omp master
			if (omp_get_num_threads() != MEMBERS)
				alike = 0;
			got += omp_test_lock(&held) + omp_test_nest_lock(&nest);
			differ += own != step * (omp_get_thread_num() + 1);
			own += omp_get_thread_num() + 1;
#pragma omp atomic
			atoms += omp_get_thread_num() == 0 ? MEMBERS : 0;
#pragma omp critical
			kept += omp_get_thread_num() == 0;
		}
		fprintf(file, "%ld %d %ld\n", line++, step, sum);
		if (step % 5 == 0)
			printf("step %d: %ld\n", step, sum);
		if (alike && differ)
			printf("step %d: %d threads have not what they had\n", step, differ);
		usleep((unsigned)milliseconds * 1000);
	}
	omp_unset_lock(&held);
	omp_unset_nest_lock(&nest);
	fflush(file);
	rewind(file);
	for (long i = 0, at, step, value; i < line; i++)
		if (fscanf(file, "%ld %ld %ld", &at, &step, &value) != 3 || at != i || step != i)
			printf("line %ld is wrong\n", i);
	printf("%ld %ld %ld %lu %d by %d\n", sum, kept, atoms, heap, got, omp_get_max_threads());
	return 0;
}
