// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * protect_driver.c - page protection by the driver, /dev/cape: the kernel writes to locked memory
 * as ever, and keeps the twins of pages that were not reported.
 *
 * Either it keeps them all, which are collected at the end, or the monitor hears of each page, as
 * the papers' does.
 */
#include "protect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <unistd.h>
#include "trace.h"
#include "uapi/cape.h"

#define COLLECT_PAGES 256

struct driver {
	int process; /* the attach descriptor */
};

static int start(struct trace *trace)
{
	struct cape_attach attach = {.pid = trace->program};
	struct driver *driver;
	int device = open(CAPE_DEVICE, O_RDWR | O_CLOEXEC), process, error;

	if (device < 0)
		return -errno;
	process = ioctl(device, CAPE_ATTACH, &attach);
	error = -errno;
	close(device);
	if (process < 0)
		return error;
	driver = calloc(1, sizeof(*driver));
	if (!driver) {
		close(process);
		return -ENOMEM;
	}
	driver->process = process;
	trace->protect = driver;
	return 0;
}

static void stop(struct trace *trace)
{
	struct driver *driver = trace->protect;

	if (driver)
		close(driver->process);
	free(driver);
	trace->protect = NULL;
}

/* The driver counts the twins as memory that the monitor's user has locked. */
static void complain_limit(struct trace *trace)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return;
	node_fail(
		trace->node, 1,
		"node %d: the driver cannot lock the program's memory: %s; the limit ulimit -l is "
		"%llu kB here, for all nodes of this user on this machine: raise it, or use "
		"--protect mprotect",
		trace->node->rank, strerror(ENOMEM), (unsigned long long)limit.rlim_cur / 1024);
}

static int lock(struct trace *trace, uint32_t mode, const struct cape_range *range, size_t count)
{
	const struct driver *driver = trace->protect;
	struct cape_extent *list = calloc(count + 1, sizeof(*list));
	struct cape_lock request = {
		.mode = mode,
		.range_count = (uint32_t)count,
	};
	int error = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		list[i] = (struct cape_extent){range[i].start, range[i].end - range[i].start};
	request.ranges = (uint64_t)(uintptr_t)list;
	if (ioctl(driver->process, CAPE_LOCK, &request) < 0)
		error = -errno;
	if (error == -ENOMEM)
		complain_limit(trace);
	free(list);
	trace->locked = !error;
	return error;
}

static int lock_snapshot(struct trace *trace, struct trace_thread *thread,
			 const struct cape_range *range, size_t count)
{
	(void)thread;
	return lock(trace, CAPE_MODE_SNAPSHOT, range, count);
}

static int lock_notify(struct trace *trace, struct trace_thread *thread,
		       const struct cape_range *range, size_t count)
{
	(void)thread;
	return lock(trace, CAPE_MODE_NOTIFY, range, count);
}

static enum protect_fault fault(struct trace *trace, struct trace_thread *thread,
				const siginfo_t *info)
{
	const struct driver *driver = trace->protect;
	struct cape_capture request = {.address = (uint64_t)(uintptr_t)info->si_addr};
	void *twin = capture_slot(&trace->capture);
	int error = twin ? 0 : -ENOSPC;

	if (info->si_code != SEGV_ACCERR || info->si_errno != CAPE_NOTIFY_ERRNO)
		return PROTECT_GENUINE;
	request.twin = (uint64_t)(uintptr_t)twin;
	/* Another thread wrote to the page first: nothing is left to be done. */
	if (!error && ioctl(driver->process, CAPE_CAPTURE_PAGE, &request) < 0)
		error = errno == ENOENT ? 0 : -errno;
	else if (!error && request.twin_state != CAPE_TWIN_NONE)
		error = capture_take_slot(&trace->capture, request.address & -CAPTURE_PAGE,
					  request.twin_state == CAPE_TWIN_ZERO);
	if (!error) {
		trace_continue(trace, thread, 0);
		return PROTECT_CAPTURED;
	}
	node_fail(trace->node, 1, "node %d: the driver cannot capture the page at %p: %s",
		  trace->node->rank, info->si_addr, strerror(-error));
	return PROTECT_FAILED;
}

/* Pages that were not reported. */
static int collect(struct trace *trace, struct cape_dirty *pages, unsigned char *twins)
{
	const struct driver *driver = trace->protect;
	struct cape_collect request = {
		.pages = (uint64_t)(uintptr_t)pages,
		.twins = (uint64_t)(uintptr_t)twins,
		.page_capacity = COLLECT_PAGES,
		.twin_capacity = COLLECT_PAGES,
	};
	int error = 0;

	do {
		const unsigned char *twin = twins;

		if (ioctl(driver->process, CAPE_COLLECT, &request) < 0)
			return -errno;
		for (uint32_t i = 0; i < request.page_count && !error; i++) {
			bool zero = pages[i].twin_state == CAPE_TWIN_ZERO;
			void *slot = capture_slot(&trace->capture);

			if (!slot)
				return -ENOSPC;
			if (!zero) {
				memcpy(slot, twin, CAPTURE_PAGE);
				twin += CAPTURE_PAGE;
			}
			error = capture_take_slot(&trace->capture, pages[i].address, zero);
		}
	} while (!error && request.cursor != CAPE_CURSOR_END);
	return error;
}

static int unlock(struct trace *trace, struct trace_thread *thread)
{
	const struct driver *driver = trace->protect;
	struct cape_dirty *pages = malloc(COLLECT_PAGES * sizeof(*pages));
	unsigned char *twins = malloc(COLLECT_PAGES * CAPTURE_PAGE);
	int error = pages && twins ? collect(trace, pages, twins) : -ENOMEM;

	(void)thread;
	free(pages);
	free(twins);
	if (ioctl(driver->process, CAPE_UNLOCK, 0) < 0 && !error)
		error = -errno;
	trace->locked = false;
	return error;
}

const struct protection protect_driver = {
	.name = "driver",
	.by_driver = true,
	.start = start,
	.stop = stop,
	.lock = lock_snapshot,
	.unlock = unlock,
	.fault = fault,
};

const struct protection protect_notify = {
	.name = "notify",
	.by_driver = true,
	.start = start,
	.stop = stop,
	.lock = lock_notify,
	.unlock = unlock,
	.fault = fault,
};
