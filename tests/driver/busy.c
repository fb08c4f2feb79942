/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * busy.c - requests on a process that does not stand still: its threads write, map, unmap, begin
 * and end, while it is locked, looked at and let go of.
 *
 * What was locked stays what it was, however often it is asked for.  The threads are not traced,
 * so nothing stops them.  LONG=1: twice as often.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_epoch.h"

#define PAGES	 256
#define ROUNDS	 (is_long() ? 12 : 6) /* locks */
#define CAPTURES 200		      /* in each */
#define ATTACHES (is_long() ? 100 : 50)

/* Threads write to the one, and map the other anew. */
static unsigned char *written, *mapped;
static unsigned char then[2 * PAGES * PAGE], now[2 * PAGES * PAGE];
static struct collected collected;

static unsigned next(unsigned *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void *write_pages(void *argument)
{
	unsigned seed = (unsigned)(uintptr_t)argument;

	for (;;)
		memset(written + next(&seed) % PAGES * PAGE, (int)next(&seed), PAGE);
	return NULL;
}

static void *map_pages(void *argument)
{
	unsigned seed = (unsigned)(uintptr_t)argument;

	for (;;) {
		size_t count = 1 + next(&seed) % 16;
		unsigned char *at = mapped + next(&seed) % (PAGES - count) * PAGE;

		if (mmap(at, count * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			abort();
		memset(at, (int)next(&seed), count * PAGE);
		at = mapped + next(&seed) % (PAGES - count) * PAGE;
		mprotect(at, count * PAGE, PROT_READ);
		mprotect(at, count * PAGE, PROT_READ | PROT_WRITE);
		madvise(at, count * PAGE, MADV_DONTNEED);
	}
	return NULL;
}

static void *write_a_page(void *argument)
{
	*(volatile unsigned char *)argument = 1;
	return NULL;
}

static void *make_threads(void *argument)
{
	unsigned seed = (unsigned)(uintptr_t)argument;
	pthread_t thread;

	for (;;)
		if (!pthread_create(&thread, NULL, write_a_page,
				    written + next(&seed) % PAGES * PAGE))
			pthread_join(thread, NULL);
	return NULL;
}

static void *fault_for_ever(void *unused)
{
	(void)unused;
	for (;;) {
		madvise(written, PAGES * PAGE, MADV_DONTNEED);
		memset(written, 1, PAGES * PAGE);
	}
	return NULL;
}

/* The thread that was made last is the last to be let go of, and always in a page fault. */
static void start_faults(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fault_for_ever, NULL))
		abort();
}

/* They run while the first thread stands still. */
static void start_threads(void)
{
	void *(*const body[])(void *) = {write_pages, write_pages, map_pages, make_threads};
	pthread_t thread;

	memset(written, 1, 2 * PAGES * PAGE);
	for (size_t i = 0; i < sizeof(body) / sizeof(body[0]); i++)
		if (pthread_create(&thread, NULL, body[i], (void *)(i + 1)))
			abort();
}

static void stand_still(void *unused)
{
	(void)unused;
	pause_here();
}

/* All memory as it was when it was locked. */
static bool read_locked(int descriptor, unsigned char *bytes)
{
	struct cape_access access = {
		(uintptr_t)written, 2 * PAGES * PAGE, (uintptr_t)bytes, 0, 0, 0};

	return ioctl(descriptor, CAPE_READ_LOCKED, &access) == 0;
}

struct result {
	size_t failed, captured, wrong;
};

/* Is the page's twin what was there then?  A page that has none has not been written. */
static void capture(int descriptor, size_t number, struct result *result)
{
	unsigned char twin[PAGE];
	struct cape_capture request = {(uintptr_t)written + number * PAGE, (uintptr_t)twin,
				       CAPE_CAPTURE_KEEP, 0};

	if (ioctl(descriptor, CAPE_CAPTURE_PAGE, &request) < 0) {
		result->failed++;
		return;
	}
	if (request.twin_state == CAPE_TWIN_NONE)
		return;
	result->captured++;
	result->wrong += memcmp(twin, then + number * PAGE, PAGE) != 0;
}

static void compare_collected(int descriptor, struct result *result)
{
	if (!collect(descriptor, 64, true, 0, &collected))
		result->failed++;
	for (size_t i = 0; i < 2 * PAGES; i++) {
		const unsigned char *twin = collected_twin(&collected, written + i * PAGE);

		result->wrong += twin && memcmp(twin, then + i * PAGE, PAGE) != 0;
	}
}

/* Epoch 1 of this lock stays what it was when others have begun. */
static void compare_epochs(int descriptor, struct result *result)
{
	struct cape_epoch_entry entry[4];
	struct cape_epochs epochs = {.entries = (uintptr_t)entry, .capacity = 4};
	struct cape_epoch epoch = {0};
	struct cape_epoch_number first = {0};

	for (int i = 0; i < 2; i++)
		result->failed += ioctl(descriptor, CAPE_EPOCH, &epoch) < 0;
	result->failed += ioctl(descriptor, CAPE_GET_EPOCHS, &epochs) < 0;
	first.epoch = entry[0].epoch;
	result->failed += ioctl(descriptor, CAPE_VIEW, &first) < 0 || !read_locked(descriptor, now);
	result->wrong += memcmp(then, now, sizeof(now)) != 0;
}

static void test_locked(int descriptor)
{
	struct cape_extent range = {(uintptr_t)written, 2 * PAGES * PAGE};
	struct result result = {0};
	unsigned seed = 1;

	for (int round = 0; round < ROUNDS; round++) {
		if (lock(descriptor, CAPE_MODE_SNAPSHOT, round % 2 ? &range : NULL, round % 2) ||
		    !read_locked(descriptor, then)) {
			result.failed++;
			break;
		}
		for (int i = 0; i < CAPTURES; i++)
			capture(descriptor, next(&seed) % (2 * PAGES), &result);
		compare_collected(descriptor, &result);
		compare_epochs(descriptor, &result);
		ioctl(descriptor, CAPE_UNLOCK, 0);
	}
	check(result.failed == 0, "%d locks while threads write and map, and requests on them",
	      ROUNDS);
	check(result.captured > 0 && result.wrong == 0,
	      "of %zu twins, and all that was there then, %zu are wrong", result.captured,
	      result.wrong);
}

/* The counters of page faults come, count and go while there are faults. */
static void test_counters(int device, pid_t child, const char *what)
{
	struct cape_make_recorder ring = {CAPE_RECORDS_LEAST, 0};
	struct cape_statistics statistics = {0};
	unsigned long faults = 0, failed = 0;
	unsigned seed = 2;

	for (int i = 0; i < ATTACHES; i++) {
		int descriptor = attach(device, child);
		int recorder = ioctl(descriptor, CAPE_MAKE_RECORDER, &ring);

		failed += recorder < 0 ||
			  lock(descriptor, i % 2 ? CAPE_MODE_RECORD : CAPE_MODE_NOTIFY, NULL, 0);
		usleep(next(&seed) % 3000);
		failed += ioctl(descriptor, CAPE_GET_STATISTICS, &statistics) < 0;
		faults += statistics.faults_ignored + statistics.faults_notified;
		close(recorder);
		close(descriptor);
	}
	check(failed == 0, "%s: attached, told of faults and let go of %d times", what, ATTACHES);
	check(faults > 0, "%s: there were faults meanwhile", what);
}

int main(void)
{
	int device = open_device(), descriptor;
	pid_t child;

	written = mmap(NULL, 2 * PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	mapped = written + PAGES * PAGE;
	child = spawn(start_threads, stand_still, NULL);
	descriptor = attach(device, child);
	test_locked(descriptor);
	close(descriptor);
	test_counters(device, child, "threads that begin and end");
	reap(child);
	child = spawn(start_faults, stand_still, NULL);
	test_counters(device, child, "a thread that only faults");
	reap(child);
	return finish();
}
