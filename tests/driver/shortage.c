/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shortage.c - a process whose cgroup has no more memory.  If its swapped-out pages cannot be
 * brought back, a lock fails, and is as it should be once there is memory again.  Twins count as
 * memory of the cgroup: who goes beyond its limit by them dies, and nobody else.
 *
 * Needs the memory controller of cgroup 2, and a disk to swap to for the first.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define PAGES  1536
#define GROUP  "/tmp/cgroup/short"
#define SLACK  (PAGES / 4)
#define SMALL  "3M"
#define MIDDLE "9M" /* more than all pages, less than with as many twins */
#define LARGE  "64M"

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
	put(GROUP "/memory.swap.max", "0");
	return put(GROUP "/memory.max", LARGE) ? NULL : strerror(errno);
}

static void fill_memory(void)
{
	if (!put(GROUP "/cgroup.procs", "0"))
		abort();
	memset(memory, 7, PAGES * PAGE);
}

/* The kernel finds nobody to kill for memory, and has to say so. */
static void live_and_fill_memory(void)
{
	if (!put("/proc/self/oom_score_adj", "-1000"))
		abort();
	fill_memory();
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

static void test_swapped(int device)
{
	struct cape_extent range = {(uintptr_t)memory, PAGES * PAGE};
	int descriptor;
	pid_t child;

	put(GROUP "/memory.swap.max", "max");
	put(GROUP "/memory.max", SMALL);
	child = spawn(live_and_fill_memory, write_all, NULL);
	descriptor = attach(device, child);
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
	check(collect(descriptor, 64, true, 0, &collected) && collected.count == PAGES &&
		      right_twins() == PAGES,
	      "collect, when not all pages can be brought back: none has to be (%zu pages)",
	      collected.count);
	put(GROUP "/memory.max", LARGE);
	close(descriptor);
	reap(child);
}

/* Of the cgroup, in pages; the kernel settles what it has counted some seconds later. */
static long group_has(void)
{
	char text[32] = "";
	FILE *file = fopen(GROUP "/memory.current", "re");

	if (!file)
		return -1;
	if (!fgets(text, sizeof(text), file))
		text[0] = 0;
	fclose(file);
	return atol(text) / (long)PAGE;
}

/* What it has, once that is about WANTED, if it takes a while. */
static long group_comes_to(long wanted)
{
	for (int tries = 0; tries < 100 && labs(group_has() - wanted) > SLACK; tries++)
		usleep(100000);
	return group_has();
}

static void test_twins(int device)
{
	struct cape_extent range = {(uintptr_t)memory, PAGES * PAGE};
	pid_t child = spawn(fill_memory, write_all, NULL);
	int descriptor = attach(device, child);
	bool done = lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1) == 0 &&
		    run_child(child, -1, false, &notices);
	long has = group_comes_to(2 * PAGES);

	check(done && labs(has - 2 * PAGES) <= SLACK,
	      "what a process has written, and its twins, count for its cgroup (2 * %d pages: %ld)",
	      PAGES, has);
	ioctl(descriptor, CAPE_UNLOCK, 0);
	has = group_comes_to(PAGES);
	check(labs(has - PAGES) <= SLACK, "the twins do no more when they are unlocked (%ld)", has);
	close(descriptor);
	reap(child);
}

static void test_too_many_twins(int device)
{
	struct cape_extent range = {(uintptr_t)memory, PAGES * PAGE};
	pid_t bystander = spawn(NULL, write_all, NULL), child = spawn(fill_memory, write_all, NULL);
	int descriptor = attach(device, child), status = 0;
	long has;

	put(GROUP "/memory.max", MIDDLE);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1) == 0 &&
		      ptrace(PTRACE_CONT, child, NULL, NULL) == 0 &&
		      waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		      WTERMSIG(status) == SIGKILL,
	      "who has no memory for pages beside twins is killed");
	check(waitpid(bystander, NULL, WNOHANG) == 0, "nobody else is");
	has = group_comes_to(0);
	check(has <= SLACK, "and the cgroup has its memory back (%ld)", has);
	close(descriptor);
	reap(bystander);
}

int main(void)
{
	int device = open_device();
	const char *missing = make_group(), *no_swap = start_swap();

	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (missing) {
		check(true, "a cgroup without memory # SKIP %s", missing);
	} else {
		test_twins(device);
		test_too_many_twins(device);
	}
	if (missing || no_swap)
		check(true, "swapped-out pages # SKIP %s", missing ?: no_swap);
	else
		test_swapped(device);
	/* What the kernel says of a shortage looks like a complaint. */
	klogctl(5, NULL, 0);
	return finish();
}
