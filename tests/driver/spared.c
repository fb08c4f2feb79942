/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spared.c - a process that was swapped out, and for which its cgroup has no memory any more, is
 * locked, or has another epoch begun: that cannot be, but nobody is killed for it.  To look at what
 * it has written needs no memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_epoch.h"

#define LENGTH	   (32ul << 20)
#define LITTLE	   "16M" /* for all in the group */
#define BYSTANDERS 3
#define CGROUP	   "/tmp/cgroup"
#define GROUP	   CGROUP "/small"

static unsigned char *memory;
static int device;
static struct collected collected;
static struct notices notices;
static pid_t bystander[BYSTANDERS];

static void enter_group(void)
{
	char number[32];

	snprintf(number, sizeof(number), "%d", getpid());
	if (!put(GROUP "/cgroup.procs", number))
		abort();
}

static void own_memory(void)
{
	enter_group();
	memset(memory, 7, LENGTH);
}

static void write_all(void *unused)
{
	(void)unused;
	memset(memory, 9, LENGTH);
}

static const char *make_group(void)
{
	mkdir(CGROUP, 0755);
	if (mount("none", CGROUP, "cgroup2", 0, NULL) < 0)
		return "there are no cgroups";
	if (!put(CGROUP "/cgroup.subtree_control", "+memory"))
		return "cgroups know nothing of memory";
	mkdir(GROUP, 0755);
	return NULL;
}

static void start_bystanders(void)
{
	for (size_t i = 0; i < BYSTANDERS; i++) {
		bystander[i] = fork();
		if (bystander[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			put("/proc/self/oom_score_adj", "0");
			enter_group();
			memset(mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
			       1, 2 << 20);
			for (;;)
				pause();
		}
	}
	usleep(200000);
}

static size_t bystanders_left(void)
{
	size_t left = 0;

	for (size_t i = 0; i < BYSTANDERS; i++)
		left += waitpid(bystander[i], NULL, WNOHANG) == 0;
	return left;
}

/* Swapped out, with no room to come back, and the first to be killed. */
static void make_short(pid_t child)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/oom_score_adj", child);
	put(name, "500");
	page_out(child, memory, LENGTH);
	put(GROUP "/memory.swap.max", "0");
	put(GROUP "/memory.max", LITTLE);
}

static void make_enough(void)
{
	put(GROUP "/memory.max", "max");
	put(GROUP "/memory.swap.max", "max");
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void check_spared(pid_t child, int result, double began, const char *what)
{
	const int error = errno;
	const double took = seconds() - began;
	/* A kernel that checks itself takes much longer, the more on a busy machine. */
	const bool checks = access("/sys/kernel/debug/kmemleak", F_OK) == 0;

	errno = error;
	refuses(result, ENOMEM, "%s: it cannot be: ENOMEM", what);
	check(took < (checks ? 60 : 2), "%s: which is found after %.1f s", what, took);
	check(waitpid(child, NULL, WNOHANG) == 0, "%s: the process lives", what);
	check(bystanders_left() == BYSTANDERS, "%s: %zu of %d bystanders live", what,
	      bystanders_left(), BYSTANDERS);
}

/* What the killer logs has a call trace, which is no complaint here: what else there is. */
static void check_log(const char *what)
{
	check(system("dmesg -c >/tmp/spared.log; grep -E "
		     "'WARNING|BUG|Oops|KASAN|unable to reap|blocked for' /tmp/spared.log") != 0,
	      "%s: whoever is killed can end", what);
}

static void end(pid_t child, int descriptor)
{
	make_enough();
	close(descriptor);
	for (size_t i = 0; i < BYSTANDERS; i++)
		kill(bystander[i], SIGKILL);
	reap(child);
}

static void test_lock(void)
{
	pid_t child;
	struct cape_extent range = {(uintptr_t)memory, LENGTH};
	int descriptor, result;
	double began;

	start_bystanders();
	child = spawn(own_memory, write_all, NULL);
	descriptor = attach(device, child);
	make_short(child);
	began = seconds();
	result = lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1);
	check_spared(child, result, began, "lock");
	check_log("lock");
	end(child, descriptor);
}

static void test_epoch(void)
{
	pid_t child;
	struct cape_extent range = {(uintptr_t)memory, LENGTH};
	struct cape_epoch epoch = {0};
	int descriptor, result;
	double began;
	bool found;

	start_bystanders();
	child = spawn(enter_group, write_all, NULL);
	descriptor = attach(device, child);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1) == 0 &&
		      run_child(child, descriptor, false, &notices),
	      "a locked process writes what it never touched before");
	make_short(child);
	found = collect(descriptor, 512, false, 0, &collected);
	check(found && collected_within(&collected, memory, LENGTH) == LENGTH / PAGE,
	      "all of it is found to be written, though it is swapped out");
	check(bystanders_left() == BYSTANDERS && kill(child, 0) == 0 &&
		      waitpid(child, NULL, WNOHANG) == 0,
	      "which takes no memory");
	began = seconds();
	result = ioctl(descriptor, CAPE_EPOCH, &epoch);
	check_spared(child, result, began, "epoch");
	check_log("epoch");
	end(child, descriptor);
}

int main(void)
{
	const char *missing = start_swap();

	device = open_device();
	missing = missing ?: make_group();
	if (missing) {
		check(true, "memory that is short # SKIP %s", missing);
		return finish();
	}
	put("/proc/self/oom_score_adj", "-900");
	memory = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(memory, LENGTH, MADV_NOHUGEPAGE);
	test_lock();
	test_epoch();
	umount(CGROUP);
	return finish();
}
