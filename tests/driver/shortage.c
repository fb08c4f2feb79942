/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shortage.c - a process whose swapped-out pages cannot be brought back, as its cgroup has no more
 * memory: requests fail, and tell the truth once there is memory again.
 *
 * Needs a disk to swap to and the memory controller of cgroup 2.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "module.h"

#define PAGES 1536
#define GROUP "/tmp/cgroup/short"
#define SMALL "3M"
#define LARGE "64M"

static unsigned char *memory;
static struct collected collected;
static struct notices notices;

/* NULL, or why there is no such cgroup. */
static const char *make_group(void)
{
	mkdir("/tmp/cgroup", 0700);
	if (mount("cgroup", "/tmp/cgroup", "cgroup2", 0, NULL) < 0)
		return strerror(errno);
	if (!put("/tmp/cgroup/cgroup.subtree_control", "+memory") || mkdir(GROUP, 0700) < 0)
		return "no memory controller";
	return put(GROUP "/memory.max", SMALL) ? NULL : strerror(errno);
}

/* The kernel finds nobody to kill for memory, and has to say so. */
static void fill_memory(void)
{
	if (!put("/proc/self/oom_score_adj", "-1000") || !put(GROUP "/cgroup.procs", "0"))
		abort();
	memset(memory, 7, PAGES * PAGE);
}

static void write_all(void *argument)
{
	(void)argument;
	for (size_t i = 0; i < PAGES; i++)
		memory[i * PAGE] = 8;
}

static uint64_t twins(int descriptor)
{
	struct cape_status status = {0};

	return ioctl(descriptor, CAPE_GET_STATUS, &status) == 0 ? status.twin_count : UINT64_MAX;
}

static size_t right_twins(void)
{
	size_t right = 0;

	for (size_t i = 0; i < PAGES; i++) {
		const unsigned char *twin = collected_twin(&collected, memory + i * PAGE);

		right += twin && twin[0] == 7 && twin[PAGE - 1] == 7;
	}
	return right;
}

static void test(int device)
{
	struct cape_extent range = {(uintptr_t)memory, PAGES * PAGE};
	pid_t child = spawn(fill_memory, write_all, NULL);
	int descriptor = attach(device, child);

	refuses(lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1), ENOMEM,
		"lock, when not all pages can be brought back: ENOMEM");
	check(twins(descriptor) == 0, "and nothing is locked");
	check(put(GROUP "/memory.max", LARGE) &&
		      lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1) == 0 &&
		      twins(descriptor) == PAGES,
	      "lock, with memory: a twin of every page");
	check(run_child(child, -1, false, &notices), "the process writes all of them");
	put(GROUP "/memory.max", SMALL);
	page_out(child, memory, PAGES * PAGE);
	errno = 0;
	check(!collect(descriptor, 64, true, 0, &collected) && errno == ENOMEM,
	      "collect, when not all pages can be brought back: ENOMEM (%zu pages)",
	      collected.count);
	check(put(GROUP "/memory.max", LARGE) && collect(descriptor, 64, true, 0, &collected) &&
		      collected.count == PAGES && right_twins() == PAGES,
	      "collect, with memory: all pages, with their twins");
	close(descriptor);
	reap(child);
}

int main(void)
{
	int device = open_device();
	const char *missing = start_swap();

	if (!missing)
		missing = make_group();
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (missing)
		check(true, "a process without memory # SKIP %s", missing);
	else
		test(device);
	/* What the kernel says of a shortage looks like a complaint. */
	klogctl(5, NULL, 0);
	return finish();
}
