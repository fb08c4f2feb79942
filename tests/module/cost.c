/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.c - what a written page costs in either mode of the driver, twin included; no test.
 *
 * Argument: pages (8192).  Pin it to one processor to compare.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "module.h"

#define ROUNDS 5

static unsigned char *memory;
static size_t pages = 8192;
static struct notices notices;
static struct collected collected;

static void own_memory(void)
{
	memset(memory, 1, pages * PAGE);
}

static void write_all(void *argument)
{
	(void)argument;
	for (;;) {
		for (size_t i = 0; i < pages; i++)
			memory[i * PAGE]++;
		pause_here();
	}
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static long mappings(pid_t child)
{
	char name[32], line[512];
	long count = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/maps", child);
	file = fopen(name, "r");
	while (file && fgets(line, sizeof(line), file))
		count++;
	if (file)
		fclose(file);
	return count;
}

/* Seconds of a round: lock, run, capture or collect, unlock; MODE 0: only run. */
static double time_round(pid_t child, int descriptor, uint32_t mode)
{
	struct cape_range range = {(uintptr_t)memory, pages * PAGE};
	double started = now();
	bool well = true;

	if (mode)
		well = lock(descriptor, mode, &range, 1) == 0;
	well &= run_child(child, descriptor, true, &notices);
	if (mode == CAPE_MODE_SNAPSHOT)
		well &= collect(descriptor, 256, true, 0, &collected) && collected.count == pages;
	else if (mode == CAPE_MODE_NOTIFY)
		well &= notices.count == pages;
	if (mode)
		well &= ioctl(descriptor, CAPE_UNLOCK, 0) == 0;
	if (!well)
		exit(1);
	return now() - started;
}

/* Microseconds per page, beyond what the process takes alone; the best of some rounds. */
static double cost(pid_t child, int descriptor, uint32_t mode, double alone)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double seconds = time_round(child, descriptor, mode);

		best = seconds < best ? seconds : best;
	}
	return (best - alone) / (double)pages * 1e6;
}

int main(int argc, char **argv)
{
	int device = open_device(), descriptor;
	double alone, snapshot, notify;
	long before;
	pid_t child;

	if (argc > 1)
		pages = strtoul(argv[1], NULL, 10);
	memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	child = spawn(own_memory, write_all, NULL);
	descriptor = attach(device, child);
	before = mappings(child);
	alone = cost(child, descriptor, 0, 0) * (double)pages * 1e-6;
	snapshot = cost(child, descriptor, CAPE_MODE_SNAPSHOT, alone);
	notify = cost(child, descriptor, CAPE_MODE_NOTIFY, alone);
	printf("pages %zu\nsnapshot_us_per_page %.2f\nnotify_us_per_page %.2f\n", pages, snapshot,
	       notify);
	printf("snapshot_by_notify %.3f\nmappings_before %ld\nmappings_after %ld\n",
	       snapshot / notify, before, mappings(child));
	close(descriptor);
	reap(child);
	return 0;
}
