/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaks.c - thousands of locks and unlocks, and hundreds of processes, leave as much memory as
 * there was, and no task.  LONG=1: 10,000.
 */
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define PAGES	  64
#define CYCLES	  (is_long() ? 10000 : 3000)
#define PROCESSES 300

static int device;
static unsigned char *memory;
static struct collected collected;
static struct notices notices;

static void own_memory(void)
{
	memset(memory, 1, PAGES * PAGE);
}

static void write_often(void *argument)
{
	(void)argument;
	for (;;) {
		for (size_t i = 0; i < PAGES; i += 3)
			memory[i * PAGE]++;
		pause_here();
	}
}

static uint32_t mode_of(int number)
{
	return (uint32_t[]){CAPE_MODE_SNAPSHOT, CAPE_MODE_NOTIFY, CAPE_MODE_RECORD}[number % 3];
}

static bool make_recorder(int descriptor)
{
	struct cape_make_recorder request = {.record_count = PAGES};

	return close(ioctl(descriptor, CAPE_MAKE_RECORDER, &request)) == 0;
}

/* The process runs in every tenth cycle; in the others nothing but the locking happens. */
static int lock_and_unlock(int cycles)
{
	pid_t child = spawn(own_memory, write_often, NULL);
	int descriptor = attach(device, child), well = 0;

	for (int i = 0; i < cycles; i++) {
		bool right = i % 100 != 0 || make_recorder(descriptor);

		right &= lock(descriptor, mode_of(i), NULL, 0) == 0;

		if (i % 10 == 0)
			right &= run_child(child, descriptor, i % 20 == 0, &notices) &&
				 collect(descriptor, 64, true, 0, &collected);
		well += right && ioctl(descriptor, CAPE_UNLOCK, 0) == 0;
	}
	close(descriptor);
	reap(child);
	return well;
}

/* Each ends in another way: unlocked, closed, killed while locked, killed after it ran. */
static int come_and_go(int processes)
{
	int well = 0;

	for (int i = 0; i < processes; i++) {
		pid_t child = spawn(own_memory, write_often, NULL);
		int descriptor = attach(device, child);

		well += make_recorder(descriptor) && lock(descriptor, mode_of(i), NULL, 0) == 0;
		if (i % 4 == 1 || i % 4 == 3)
			run_child(child, descriptor, true, &notices);
		if (i % 4 == 0)
			ioctl(descriptor, CAPE_UNLOCK, 0);
		if (i % 4 > 1)
			reap(child);
		close(descriptor);
		if (i % 4 <= 1)
			reap(child);
	}
	return well;
}

/* KASAN holds back what was freed, until its cache is to shrink. */
static void drop_caches(void)
{
	glob_t shrink;

	/* What RCU frees later is to be free by now. */
	sleep(1);
	put("/proc/sys/vm/drop_caches", "3");
	if (glob("/sys/kernel/slab/*/shrink", 0, NULL, &shrink) == 0)
		for (size_t i = 0; i < shrink.gl_pathc; i++)
			put(shrink.gl_pathv[i], "1");
	globfree(&shrink);
}

/* KB that CPUs keep at hand, free for their next use: up to many MB since Linux 6.7. */
static long kept_by_cpus(void)
{
	FILE *file = fopen("/proc/zoneinfo", "r");
	char line[256];
	long pages = 0, count;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %ld", &count) == 1)
			pages += count;
	if (file)
		fclose(file);
	return pages * (long)(PAGE / 1024);
}

/* Objects of a slab cache that are in use, or -1. */
static long objects(const char *cache)
{
	FILE *file = fopen("/proc/slabinfo", "r");
	char line[256], name[64];
	long count = -1, active;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %ld", name, &active) == 2 && strcmp(name, cache) == 0)
			count = active;
	if (file)
		fclose(file);
	return count;
}

struct usage {
	long used, slabs, tasks, blocks;
};

static struct usage measure(void)
{
	struct usage usage;

	drop_caches();
	usage.used = field("/proc/meminfo", "MemTotal") - field("/proc/meminfo", "MemFree") -
		     kept_by_cpus();
	usage.slabs = field("/proc/meminfo", "SUnreclaim");
	usage.tasks = objects("task_struct");
	usage.blocks = objects("cape_block");
	return usage;
}

/* CPUs keep some objects at hand, which come and go. */
static void compare(const struct usage *before, const char *what)
{
	struct usage after = measure();

	check(after.used - before->used < 4096, "%s: no pages leak (%ld KB)", what,
	      after.used - before->used);
	check(after.slabs - before->slabs < 1024, "%s: no kernel objects leak (%ld KB)", what,
	      after.slabs - before->slabs);
	check(after.tasks - before->tasks < 100, "%s: no tasks leak (%ld)", what,
	      after.tasks - before->tasks);
	check(after.blocks - before->blocks < 100, "%s: nor what is locked (%ld)", what,
	      after.blocks - before->blocks);
}

int main(void)
{
	struct usage before;
	int well;

	device = open_device();
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	/* First for those caches that only grow once. */
	lock_and_unlock(CYCLES / 20);
	come_and_go(PROCESSES / 10);
	before = measure();
	well = lock_and_unlock(CYCLES);
	check(well == CYCLES, "%d of %d locks and unlocks", well, CYCLES);
	compare(&before, "locks and unlocks");
	before = measure();
	well = come_and_go(PROCESSES);
	check(well == PROCESSES, "%d of %d processes are locked", well, PROCESSES);
	compare(&before, "processes");
	return finish();
}
