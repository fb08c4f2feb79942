/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * huge.c - twins that were part of huge pages: how much memory they keep, as README tells, and that
 * all of it comes back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "module.h"

#define HUGE  (2ul << 20)
#define COUNT 64
#define EACH  (HUGE / PAGE)

static unsigned char *memory;
static struct notices notices;

static void fill_memory(void)
{
	madvise(memory, COUNT * HUGE, MADV_HUGEPAGE);
	memset(memory, 1, COUNT * HUGE);
}

static void drop_memory(void *argument)
{
	(void)argument;
	madvise(memory, COUNT * HUGE, MADV_DONTNEED);
}

/* Pages that processors have set aside for themselves: these are free, too. */
static long pages_aside(void)
{
	FILE *stream = fopen("/proc/zoneinfo", "re");
	long pages = 0, one;
	char line[256];

	while (stream && fgets(line, sizeof(line), stream))
		if (sscanf(line, " count: %ld", &one) == 1)
			pages += one;
	if (stream)
		fclose(stream);
	return pages;
}

/* In pages. */
static long pages_free(void)
{
	put("/proc/sys/vm/drop_caches", "3");
	put("/proc/sys/vm/compact_memory", "1");
	return field("/proc/meminfo", "MemFree") * 1024 / (long)PAGE + pages_aside();
}

/* How many are free less than BEFORE, once it is no more than WANTED, if that takes a while. */
static long pages_missing(long before, long wanted)
{
	long missing = before - pages_free();

	for (int tries = 0; tries < 100 && missing > wanted; tries++) {
		usleep(100000);
		missing = before - pages_free();
	}
	return missing;
}

/*
 * Locks one of EVERY pages, and has the process give all of its memory back.  FIRST: pages that
 * were free before all of this, for what is free between two rounds wanders in Linux 7.3.
 */
static void test(int device, size_t every, long first)
{
	static struct cape_extent range[COUNT * EACH];
	size_t twins = COUNT * EACH / every;
	long before = pages_free(), missing, slack = COUNT * (long)EACH / 8;
	struct cape_status status = {0};
	pid_t child = spawn(fill_memory, drop_memory, NULL);
	int descriptor = attach(device, child);

	for (size_t i = 0; i < twins; i++)
		range[i] = (struct cape_extent){(uintptr_t)memory + i * every * PAGE, PAGE};
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, range, (uint32_t)twins) == 0 &&
		      ioctl(descriptor, CAPE_GET_STATUS, &status) == 0 &&
		      status.twin_count == twins,
	      "lock: %zu twins, one of %zu pages", twins, every);
	check(run_child(child, -1, false, &notices), "the process gives all its memory back");
	missing = pages_missing(before, COUNT * (long)EACH + slack);
	check(missing <= COUNT * (long)EACH + slack,
	      "%zu twins keep no more than the huge pages had: %ld pages", twins, missing);
	ioctl(descriptor, CAPE_UNLOCK, 0);
	missing = pages_missing(first, slack);
	check(missing <= slack, "after the unlock all are back but %ld", missing);
	close(descriptor);
	reap(child);
}

int main(void)
{
	int device = open_device();
	long first = pages_free();

	memory = mmap(NULL, (COUNT + 1) * HUGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	memory = (unsigned char *)(((uintptr_t)memory + HUGE - 1) & -HUGE);
	test(device, EACH, first);
	test(device, EACH / 8, first);
	test(device, 2, first);
	return finish();
}
