/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * poison.c - a twin whose memory has failed is not read: the machine would stop at that.  Nor does
 * a page whose memory had failed before it was locked read as zeros.
 *
 * For the first the child is a fork that has written since it was locked: what it had before is the
 * parent's page and the twin, and another fork has the kernel take that page for broken.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define PAGES 8

enum { BROKEN = 3 };

static struct notices notices;
static unsigned char *memory, bytes[PAGES * PAGE];

static void write_all(void *argument)
{
	(void)argument;
	memset(memory, 2, PAGES * PAGE);
}

static void test_reading(int descriptor)
{
	uint64_t broken = (uintptr_t)memory + BROKEN * PAGE;
	struct cape_capture capture = {broken, (uintptr_t)bytes, CAPE_CAPTURE_KEEP, 0};
	struct cape_access access = {(uintptr_t)memory, PAGES * PAGE, (uintptr_t)bytes, 0, 0, 0};
	struct cape_rollback rollback = {0};

	refuses(ioctl(descriptor, CAPE_CAPTURE_PAGE, &capture), EHWPOISON, "capture: EHWPOISON");
	refuses(ioctl(descriptor, CAPE_READ_LOCKED, &access), EHWPOISON, "read: EHWPOISON");
	check(access.done == BROKEN * PAGE, "what lies before it was read (%llu bytes)",
	      (unsigned long long)access.done);
	refuses(ioctl(descriptor, CAPE_ROLLBACK, &rollback), EHWPOISON, "rollback: EHWPOISON");
	check(rollback.address == broken, "and where (%#llx)",
	      (unsigned long long)rollback.address);
}

static void test_collecting(int descriptor)
{
	static struct cape_dirty pages[PAGES];
	struct cape_extent range = {(uintptr_t)memory, PAGES * PAGE};
	struct cape_collect request = {.cursor = range.start + BROKEN * PAGE,
				       .pages = (uintptr_t)pages,
				       .page_capacity = PAGES,
				       .twins = (uintptr_t)bytes,
				       .twin_capacity = PAGES};
	struct cape_page page = {request.cursor};

	refuses(ioctl(descriptor, CAPE_COLLECT, &request), EHWPOISON, "collect: EHWPOISON");
	request.twins = request.twin_capacity = 0;
	check(ioctl(descriptor, CAPE_COLLECT, &request) == 0 && request.page_count > 0 &&
		      pages[0].address == page.address,
	      "without the twins: that it was written");
	request = (struct cape_collect){.cursor = page.address,
					.pages = (uintptr_t)pages,
					.page_capacity = PAGES,
					.twins = (uintptr_t)bytes,
					.twin_capacity = PAGES};
	check(ioctl(descriptor, CAPE_UNLOCK_PAGE, &page) == 0 &&
		      ioctl(descriptor, CAPE_COLLECT, &request) == 0,
	      "when it is unlocked, the others can be had");
}

/* Another child of ours has the same page; the kernel may end who tells of it. */
static bool break_page(void)
{
	pid_t breaker = fork();
	int status = 0;

	if (breaker == 0) {
		int result = madvise(memory + BROKEN * PAGE, PAGE, MADV_HWPOISON);

		_exit(result < 0 && errno == EINVAL ? 1 : 0);
	}
	waitpid(breaker, &status, 0);
	return !WIFEXITED(status) || WEXITSTATUS(status) == 0;
}

/* Fresh memory in the place of what is there. */
static void map_anew(unsigned char *start, size_t length)
{
	if (mmap(start, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		abort();
}

/* The parent's memory has failed by now, and so what the child has of it. */
static void break_own_page(void)
{
	sigset_t ends;

	/* It would stop us for the tracer. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	map_anew(memory, PAGES * PAGE);
	memset(memory, 1, PAGES * PAGE);
	break_page();
}

static void write_around_and_replace(void *argument)
{
	unsigned char *broken = memory + BROKEN * PAGE;

	(void)argument;
	memset(memory, 2, BROKEN * PAGE);
	memset(broken + PAGE, 2, (PAGES - BROKEN - 1) * PAGE);
	pause_here();
	map_anew(broken, PAGE);
	pause_here();
	memset(broken, 2, PAGE);
}

/* The page has failed, and then is another. */
static void test_replaced(int descriptor, const char *how)
{
	struct cape_dirty page;
	struct cape_collect collect = {.cursor = (uintptr_t)memory + BROKEN * PAGE,
				       .pages = (uintptr_t)&page,
				       .page_capacity = 1,
				       .twins = (uintptr_t)bytes,
				       .twin_capacity = 1};
	struct cape_rollback rollback = {0};

	refuses(ioctl(descriptor, CAPE_COLLECT, &collect), EHWPOISON,
		"%s: what it was cannot be collected: EHWPOISON", how);
	collect.twins = collect.twin_capacity = 0;
	check(ioctl(descriptor, CAPE_COLLECT, &collect) == 0 && collect.page_count == 1 &&
		      page.address == (uintptr_t)memory + BROKEN * PAGE,
	      "%s: but that it is another", how);
	refuses(ioctl(descriptor, CAPE_ROLLBACK, &rollback), EHWPOISON,
		"%s: nor be put back: EHWPOISON", how);
}

static void test_before(int device)
{
	struct cape_extent range = {(uintptr_t)memory, PAGES * PAGE};
	struct cape_access access = {(uintptr_t)memory, PAGES * PAGE, (uintptr_t)bytes, 0, 0, 0};
	struct cape_rollback rollback = {0};
	pid_t child = spawn(break_own_page, write_around_and_replace, NULL);
	int descriptor = attach(device, child);

	check(lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1) == 0,
	      "a process whose memory has failed is locked");
	refuses(ioctl(descriptor, CAPE_READ_LOCKED, &access), EHWPOISON, "read: EHWPOISON");
	check(access.done == BROKEN * PAGE, "what lies before it was read (%llu bytes)",
	      (unsigned long long)access.done);
	run_child(child, -1, false, &notices);
	check(ioctl(descriptor, CAPE_ROLLBACK, &rollback) == 0 && rollback.page_count == PAGES - 1,
	      "the other pages are put back");
	run_child(child, -1, false, &notices);
	test_replaced(descriptor, "replaced by nothing");
	run_child(child, -1, false, &notices);
	test_replaced(descriptor, "replaced and written");
	close(descriptor);
	reap(child);
}

int main(void)
{
	int device = open_device(), descriptor;
	struct cape_extent range;
	bool broken;
	pid_t child;

	signal(SIGBUS, SIG_IGN);
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
	memset(memory, 1, PAGES * PAGE);
	range = (struct cape_extent){(uintptr_t)memory, PAGES * PAGE};
	child = spawn(NULL, write_all, NULL);
	descriptor = attach(device, child);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1) == 0 &&
		      run_child(child, -1, false, &notices),
	      "a process is locked, and writes");
	broken = break_page();
	if (broken) {
		test_reading(descriptor);
		test_collecting(descriptor);
	} else {
		check(true, "memory fails # SKIP this kernel does not care for that");
	}
	close(descriptor);
	reap(child);
	if (broken)
		test_before(device);
	return finish();
}
