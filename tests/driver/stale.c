/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stale.c - a page that is read-only when it is locked, while another processor still has a
 * translation by which it may be written: reclaim leaves such, as it flushes later.  /dev/stale
 * (toy/stale.c) makes one.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_epoch.h"

#define ROUNDS 10

static volatile unsigned *page; /* the writer's */
static int stale;
static struct notices notices;
static struct collected collected;

static void keep_to(int processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		abort();
}

/* As a process of its own, of which nobody asks that it stands still. */
static int write_on(void *unused)
{
	(void)unused;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	keep_to(1);
	for (;;)
		++*page;
	return 0;
}

static void start_writer(void)
{
	static unsigned char stack[4 * PAGE] __attribute__((aligned(16)));

	*page = 1;
	if (clone(write_on, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL) < 0)
		abort();
}

/* When the writer has written, and so has a translation. */
static void make_stale(void *unused)
{
	const unsigned before = *page;

	(void)unused;
	while (*page == before)
		;
	if (ioctl(stale, 0, page) < 0)
		abort();
}

static unsigned locked_value(int descriptor)
{
	unsigned value = 0;
	struct cape_access access = {(uintptr_t)page, sizeof(value), (uintptr_t)&value, 0, 0, 0};

	if (ioctl(descriptor, CAPE_READ_LOCKED, &access) < 0)
		return 0;
	return value;
}

/* Does the twin stay what it is while the writer goes on? */
static bool is_same(int descriptor)
{
	const unsigned value = locked_value(descriptor);

	usleep(50000);
	return value && locked_value(descriptor) == value;
}

/* Is the page told?  Within some seconds, as the writer may have to wait for its processor. */
static bool is_told(int descriptor)
{
	bool told = false;

	for (int tries = 0; tries < 200 && !told; tries++) {
		told = collect(descriptor, 64, false, 0, &collected) &&
		       collected_page(&collected, (const void *)page);
		if (!told)
			usleep(50000);
	}
	return told;
}

enum request { LOCK, EPOCH, ROLLBACK };

static bool carry_out(int descriptor, enum request request)
{
	/* Alone: any other page that was writable would have all flushed. */
	struct cape_extent range = {(uintptr_t)page, PAGE};
	struct cape_epoch epoch = {0};
	struct cape_rollback rollback = {0};

	switch (request) {
	case LOCK:
		return lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1) == 0;
	case EPOCH:
		return ioctl(descriptor, CAPE_EPOCH, &epoch) == 0;
	default:
		return ioctl(descriptor, CAPE_ROLLBACK, &rollback) == 0;
	}
}

static void test_round(int device, enum request request, int *same, int *told)
{
	pid_t child = spawn(start_writer, make_stale, NULL);
	int descriptor = attach(device, child);

	if ((request == LOCK || carry_out(descriptor, LOCK)) &&
	    run_child(child, descriptor, false, &notices) && carry_out(descriptor, request)) {
		*same += is_same(descriptor);
		*told += is_told(descriptor);
	}
	close(descriptor);
	reap(child);
}

static void test_rounds(int device, enum request request, const char *name)
{
	int same = 0, told = 0;

	for (int i = 0; i < ROUNDS; i++)
		test_round(device, request, &same, &told);
	check(same == ROUNDS, "%s: the twin stays what it was (%d of %d)", name, same, ROUNDS);
	check(told == ROUNDS, "%s: the page counts as written (%d of %d)", name, told, ROUNDS);
}

int main(void)
{
	int device = open_device();

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!load("/stale.ko") || (stale = open("/dev/stale", O_RDWR | O_CLOEXEC)) < 0) {
		check(false, "there is /dev/stale");
		return finish();
	}
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		check(true, "two processors # SKIP there is only one");
		return finish();
	}
	/* Another process there would have the translations flushed. */
	keep_to(0);
	test_rounds(device, LOCK, "lock");
	test_rounds(device, EPOCH, "epoch");
	test_rounds(device, ROLLBACK, "rollback");
	return finish();
}
