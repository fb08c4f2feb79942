/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faults.c - every request, with each thing in it that may fail (memory, the caller's pointers)
 * failing once: then the request fails and has done nothing that is in the way of another.
 *
 * The kernel makes the faults (CONFIG_FAULT_INJECTION); only scripts/debug-kernel's does.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_epoch.h"

#define PAGES 16

static int device, descriptor, fail_nth;
static pid_t child;
static unsigned char *memory, *file, bytes[2 * PAGES * PAGE];
static unsigned char before_it[PAGES * PAGE]; /* what the child's memory is when it is locked */
static struct cape_dirty pages[2 * PAGES];
static struct cape_extent range[2];
static struct notices notices;
static uint32_t told; /* pages, since the child has written */

static void write_for_ever(void *argument)
{
	(void)argument;
	for (int round = 2;; round++) {
		memset(memory, round, (PAGES - 1) * PAGE);
		memset(file, round, (PAGES - 1) * PAGE);
		pause_here();
	}
}

static void own_memory(void)
{
	own_pages(memory, PAGES * PAGE);
}

static int lock_in(uint32_t mode, uint32_t flags)
{
	struct cape_lock request = {
		.mode = mode, .flags = flags, .ranges = (uintptr_t)range, .range_count = 2};

	return ioctl(descriptor, CAPE_LOCK, &request);
}

static int do_attach(void)
{
	descriptor = attach(device, child);
	return descriptor;
}

static int do_lock(void)
{
	return lock_in(CAPE_MODE_SNAPSHOT, CAPE_LOCK_CHECK);
}

static int do_lock_to_notify(void)
{
	return lock_in(CAPE_MODE_NOTIFY, 0);
}

static int do_lock_to_record(void)
{
	return lock_in(CAPE_MODE_RECORD, 0);
}

static int do_make_recorder(void)
{
	struct cape_make_recorder request = {2 * CAPE_RECORDS_LEAST, 0};
	int recorder = ioctl(descriptor, CAPE_MAKE_RECORDER, &request);

	return recorder < 0 ? recorder : close(recorder);
}

static int do_capture(void)
{
	struct cape_capture request = {(uintptr_t)memory, (uintptr_t)bytes, 0, 0};

	return ioctl(descriptor, CAPE_CAPTURE_PAGE, &request);
}

static int do_capture_file(void)
{
	struct cape_capture request = {(uintptr_t)file, (uintptr_t)bytes, 0, 0};

	return ioctl(descriptor, CAPE_CAPTURE_PAGE, &request);
}

static int do_unlock_page(void)
{
	struct cape_page request = {(uintptr_t)file + (PAGES - 1) * PAGE};

	return ioctl(descriptor, CAPE_UNLOCK_PAGE, &request);
}

/* Fails, too, if not all is told. */
static int do_collect(void)
{
	struct cape_collect request = {.pages = (uintptr_t)pages,
				       .page_capacity = 2 * PAGES,
				       .twins = (uintptr_t)bytes,
				       .twin_capacity = 2 * PAGES};
	uint32_t count = 0;

	while (request.cursor != CAPE_CURSOR_END) {
		if (ioctl(descriptor, CAPE_COLLECT, &request) < 0)
			return -1;
		count += request.page_count;
	}
	errno = ENODATA;
	return count == 2 * (PAGES - 1) ? 0 : -1;
}

/* The pages that are told are unlocked, and not told again: all calls together tell each once. */
static int do_collect_and_unlock(void)
{
	struct cape_collect request = {.pages = (uintptr_t)pages,
				       .page_capacity = 2 * PAGES,
				       .twins = (uintptr_t)bytes,
				       .twin_capacity = 2 * PAGES,
				       .flags = CAPE_COLLECT_UNLOCK};

	while (request.cursor != CAPE_CURSOR_END) {
		if (ioctl(descriptor, CAPE_COLLECT, &request) < 0)
			return -1;
		told += request.page_count;
	}
	errno = ENODATA;
	return told == 2 * (PAGES - 1) ? 0 : -1;
}

static int do_check(void)
{
	struct cape_check request = {.pages = (uintptr_t)pages, .page_capacity = PAGES};

	return ioctl(descriptor, CAPE_CHECK, &request);
}

static int access_by(unsigned long number)
{
	struct cape_access request = {(uintptr_t)memory, PAGES * PAGE, (uintptr_t)bytes, 0, 0, 0};

	return ioctl(descriptor, number, &request);
}

static int do_read(void)
{
	return access_by(CAPE_READ_RANGE);
}

static int do_write(void)
{
	return access_by(CAPE_WRITE_RANGE);
}

static int do_read_locked(void)
{
	return access_by(CAPE_READ_LOCKED);
}

static int do_status(void)
{
	struct cape_extent ranges[2];
	struct cape_status request = {.ranges = (uintptr_t)ranges, .range_capacity = 2};

	return ioctl(descriptor, CAPE_GET_STATUS, &request);
}

/* Fails, too, if the memory is not what it was. */
static int do_rollback(void)
{
	struct cape_rollback request = {0};

	if (ioctl(descriptor, CAPE_ROLLBACK, &request) < 0 || do_read() < 0)
		return -1;
	errno = ENODATA;
	return memcmp(bytes, before_it, PAGES * PAGE) == 0 ? 0 : -1;
}

/* Is the first epoch what it was?  0, or -1 and ENODATA. */
static int look_at_first(void)
{
	struct cape_epoch_number first = {1, 0, 0};

	if (ioctl(descriptor, CAPE_VIEW, &first) < 0 || do_read_locked() < 0)
		return -1;
	errno = ENODATA;
	return memcmp(bytes, before_it, PAGES * PAGE) == 0 ? 0 : -1;
}

static int do_epoch(void)
{
	struct cape_epoch request = {0};

	return ioctl(descriptor, CAPE_EPOCH, &request) < 0 ? -1 : look_at_first();
}

static int do_view(void)
{
	struct cape_epoch_number second = {2, 0, 0};

	return ioctl(descriptor, CAPE_VIEW, &second);
}

/* Of three; asked again, after the look at the first failed, it is gone. */
static int do_drop_epoch(void)
{
	struct cape_epoch_number second = {2, 0, 0};

	if (ioctl(descriptor, CAPE_DROP_EPOCH, &second) < 0 && errno != ENOENT)
		return -1;
	return look_at_first();
}

static int do_rollback_to(void)
{
	struct cape_rollback_to request = {.epoch = 1};

	if (ioctl(descriptor, CAPE_ROLLBACK_TO, &request) < 0 || do_read() < 0)
		return -1;
	errno = ENODATA;
	return memcmp(bytes, before_it, PAGES * PAGE) == 0 ? 0 : -1;
}

static int do_diff(void)
{
	struct cape_extent extent[2 * PAGES];
	struct cape_diff request = {.from = 1, .extents = (uintptr_t)extent, .capacity = 2 * PAGES};

	return ioctl(descriptor, CAPE_DIFF, &request);
}

static int do_get_epochs(void)
{
	struct cape_epoch_entry entry[4];
	struct cape_epochs request = {.entries = (uintptr_t)entry, .capacity = 4};

	return ioctl(descriptor, CAPE_GET_EPOCHS, &request);
}

/* Before and after a request. */
static void nothing(void)
{
}

static void detach(void)
{
	close(descriptor);
}

static void attach_it(void)
{
	do_attach();
}

static void attach_recorder(void)
{
	do_attach();
	if (do_make_recorder() < 0)
		abort();
}

static void write_locked_with(uint32_t flags)
{
	told = 0;
	do_attach();
	if (lock_in(CAPE_MODE_SNAPSHOT, flags) < 0 || do_read() < 0)
		abort();
	memcpy(before_it, bytes, PAGES * PAGE);
	if (!run_child(child, -1, false, &notices))
		abort();
}

static void write_locked(void)
{
	write_locked_with(CAPE_LOCK_CHECK);
}

static void write_first_epoch(void)
{
	write_locked_with(0);
}

static void write_epochs(void)
{
	write_first_epoch();
	for (int i = 0; i < 2; i++)
		if (do_epoch() < 0 || !run_child(child, -1, false, &notices))
			abort();
}

/* Has the NTH thing that may fail in a request do so.  HIT: there was one. */
static int with_fault(unsigned nth, int (*request)(void), bool *hit)
{
	char text[16];
	int result, error, length = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(fail_nth, text, (size_t)length, 0) != length)
		abort();
	result = request();
	error = errno;
	/* These may be what fails. */
	*hit = pread(fail_nth, text, sizeof(text), 0) > 0 && text[0] == '0';
	while (pwrite(fail_nth, "0", 1, 0) != 1)
		;
	errno = error;
	return result;
}

static void test_request(const char *name, void (*before)(void), int (*request)(void),
			 void (*after)(void))
{
	unsigned nth, failed = 0, unexpected = 0, lasting = 0;
	bool hit;

	for (nth = 1; nth < 1000; nth++) {
		int result;

		before();
		result = with_fault(nth, request, &hit);
		if (result < 0) {
			failed++;
			unexpected += errno != ENOMEM && errno != EFAULT;
			lasting += request() < 0;
		}
		after();
		if (!hit)
			break;
	}
	check(failed > 0 && unexpected == 0 && lasting == 0 && nth < 1000,
	      "%s: %u faults, of which %u make it fail; %u in another way, %u last", name, nth - 1,
	      failed, unexpected, lasting);
}

static bool can_make_faults(void)
{
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return fail_nth >= 0 && put("/sys/kernel/debug/failslab/ignore-gfp-wait", "N") &&
	       put("/sys/kernel/debug/failslab/verbose", "0") &&
	       put("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N") &&
	       put("/sys/kernel/debug/fail_page_alloc/min-order", "0") &&
	       put("/sys/kernel/debug/fail_page_alloc/verbose", "0") &&
	       put("/sys/kernel/debug/fail_usercopy/verbose", "0");
}

static void make_memory(void)
{
	int from = open("/tmp/faults", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	memset(bytes, 1, sizeof(bytes));
	if (write(from, bytes, PAGES * PAGE) != PAGES * PAGE)
		abort();
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	file = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, from, 0);
	close(from);
	memset(memory, 1, PAGES * PAGE);
	range[memory > file] = (struct cape_extent){(uintptr_t)memory, PAGES * PAGE};
	range[memory < file] = (struct cape_extent){(uintptr_t)file, PAGES * PAGE};
}

int main(void)
{
	device = open_device();
	if (!can_make_faults()) {
		check(true, "faults # SKIP this kernel does not make them");
		return finish();
	}
	make_memory();
	child = spawn(own_memory, write_for_ever, NULL);
	test_request("attach", nothing, do_attach, detach);
	test_request("lock", attach_it, do_lock, detach);
	test_request("lock to notify", attach_it, do_lock_to_notify, detach);
	test_request("make a recorder", attach_it, do_make_recorder, detach);
	test_request("lock to record", attach_recorder, do_lock_to_record, detach);
	test_request("capture", write_locked, do_capture, detach);
	test_request("capture a file's page", write_locked, do_capture_file, detach);
	test_request("unlock a page", write_locked, do_unlock_page, detach);
	test_request("collect", write_locked, do_collect, detach);
	test_request("collect and unlock", write_locked, do_collect_and_unlock, detach);
	test_request("check", write_locked, do_check, detach);
	test_request("read", write_locked, do_read, detach);
	test_request("read what was locked", write_locked, do_read_locked, detach);
	test_request("write", write_locked, do_write, detach);
	test_request("status", write_locked, do_status, detach);
	test_request("rollback", write_locked, do_rollback, detach);
	test_request("epoch", write_first_epoch, do_epoch, detach);
	test_request("epoch behind others", write_epochs, do_epoch, detach);
	test_request("drop an epoch", write_epochs, do_drop_epoch, detach);
	test_request("view an epoch", write_epochs, do_view, detach);
	test_request("rollback to an epoch", write_epochs, do_rollback_to, detach);
	test_request("compare epochs", write_epochs, do_diff, detach);
	test_request("list epochs", write_epochs, do_get_epochs, detach);
	reap(child);
	return finish();
}
