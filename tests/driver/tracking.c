/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracking.c - what it costs to know which pages a process has written, by CAPE_LOCK_NO_TWINS and
 * by what the kernel has; no test.
 *
 * arm: all memory is watched, again and again, as after each of several checkpoints; per page of
 * it.  For the driver that is another epoch, after a first lock ("first").  write: what the process
 * takes longer, per page that it writes.  find: to learn which; per page of all memory.
 *
 * soft_dirty: /proc/PID/clear_refs and pagemap.  scan: PAGEMAP_SCAN, since Linux 6.7, which finds
 * and arms at once.  uffd_wp: the process stops for a thread of the tracer's at each first write.
 * For the last two the process itself has to make a userfaultfd.
 *
 * Arguments: pages (4096), of how many one is written (4).  Pin it to one processor to compare.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_epoch.h"

#define ROUNDS	   9
#define SOFT_DIRTY (1ull << 55)

/* Of newer headers than may be here. */
#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED (1 << 13)
#endif
#ifndef UFFD_FEATURE_WP_ASYNC
#define UFFD_FEATURE_WP_ASYNC (1 << 15)
#endif

/* struct pm_scan_arg and struct page_region. */
struct scan {
	uint64_t size, flags, start, end, walk_end, vector, vector_length, max_pages;
	uint64_t inverted, mask, any_of, returned;
};
struct region {
	uint64_t start, end, categories;
};
#define SCAN		      _IOWR('f', 16, struct scan)
#define SCAN_ARM	      0x1ull /* PM_SCAN_WP_MATCHING */
#define SCAN_ONLY_ASYNC	      0x2ull /* PM_SCAN_CHECK_WPASYNC */
#define SCAN_CATEGORY_WRITTEN 0x2ull /* PAGE_IS_WRITTEN */

/* In memory that is the child's, too. */
struct shared {
	double seconds;
	int faults; /* its userfaultfd */
	uint64_t features;
};

static unsigned char *memory;
static size_t pages = 4096, apart = 4;
static struct shared *shared;
static struct notices notices;
static struct collected collected;
static int device;

/* Of the way that is measured. */
static int descriptor, pagemap, clear_refs, faults;
static pid_t child;
static volatile size_t handled;
static volatile bool over;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool protect(bool on)
{
	struct uffdio_writeprotect request = {
		.range = {(uintptr_t)memory, pages * PAGE},
		.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	return ioctl(faults, UFFDIO_WRITEPROTECT, &request) == 0;
}

/* In the child. */
static void own_memory(void)
{
	struct uffdio_api api = {.api = UFFD_API, .features = shared->features};
	struct uffdio_register all = {
		.range = {(uintptr_t)memory, pages * PAGE},
		.mode = UFFDIO_REGISTER_MODE_WP,
	};

	memset(memory, 1, pages * PAGE);
	if (!shared->features)
		return;
	shared->faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (ioctl(shared->faults, UFFDIO_API, &api) < 0 ||
	    ioctl(shared->faults, UFFDIO_REGISTER, &all) < 0)
		shared->faults = -1;
}

static void write_some(void *unused)
{
	(void)unused;
	for (;;) {
		double begin = now();

		for (size_t i = 0; i < pages; i += apart)
			memory[i * PAGE]++;
		shared->seconds = now() - begin;
		pause_here();
	}
}

static bool nothing(void)
{
	return true;
}

/* CAPE_LOCK with FLAGS. */
static bool lock_all(uint32_t flags)
{
	struct cape_extent range = {(uintptr_t)memory, pages * PAGE};
	struct cape_lock request = {
		.mode = CAPE_MODE_SNAPSHOT,
		.flags = flags,
		.ranges = (uintptr_t)&range,
		.range_count = 1,
	};

	return ioctl(descriptor, CAPE_LOCK, &request) == 0;
}

static bool arm_lock(void)
{
	ioctl(descriptor, CAPE_UNLOCK, 0);
	return lock_all(0);
}

static bool arm_first(void)
{
	ioctl(descriptor, CAPE_UNLOCK, 0);
	return lock_all(CAPE_LOCK_NO_TWINS);
}

/* Another epoch, and none before it. */
static bool arm_epoch(void)
{
	struct cape_epoch epoch = {0};
	struct cape_epoch_number before;
	struct cape_epoch_entry entry;
	struct cape_epochs epochs = {.entries = (uintptr_t)&entry, .capacity = 1};

	if (ioctl(descriptor, CAPE_GET_EPOCHS, &epochs) < 0 || epochs.count == 0)
		return lock_all(CAPE_LOCK_NO_TWINS);
	before = (struct cape_epoch_number){.epoch = entry.epoch};
	return ioctl(descriptor, CAPE_EPOCH, &epoch) == 0 &&
	       ioctl(descriptor, CAPE_DROP_EPOCH, &before) == 0;
}

static bool find_collected(void)
{
	return collect(descriptor, 512, false, 0, &collected) &&
	       collected.count == (pages + apart - 1) / apart;
}

static bool arm_soft_dirty(void)
{
	return pwrite(clear_refs, "4", 1, 0) == 1;
}

static bool find_soft_dirty(void)
{
	static uint64_t entry[512];
	size_t count = 0;

	for (size_t i = 0; i < pages; i += 512) {
		size_t some = pages - i < 512 ? pages - i : 512;
		off_t at = (off_t)(((uintptr_t)memory / PAGE + i) * sizeof(uint64_t));

		if (pread(pagemap, entry, some * sizeof(uint64_t), at) < 0)
			return false;
		for (size_t j = 0; j < some; j++)
			count += (entry[j] & SOFT_DIRTY) != 0;
	}
	return count == (pages + apart - 1) / apart;
}

static bool find_scan(void)
{
	static struct region found[512];
	struct scan scan = {
		.size = sizeof(scan),
		.flags = SCAN_ARM | SCAN_ONLY_ASYNC,
		.start = (uintptr_t)memory,
		.end = (uintptr_t)memory + pages * PAGE,
		.vector = (uintptr_t)found,
		.vector_length = 512,
		.mask = SCAN_CATEGORY_WRITTEN,
		.returned = SCAN_CATEGORY_WRITTEN,
	};
	size_t count = 0;

	for (; scan.start < scan.end; scan.start = scan.walk_end) {
		int regions = ioctl(pagemap, SCAN, &scan);

		if (regions < 0)
			return false;
		for (int i = 0; i < regions; i++)
			count += (found[i].end - found[i].start) / PAGE;
	}
	return count == (pages + apart - 1) / apart;
}

static bool arm_uffd(void)
{
	handled = 0;
	return protect(true);
}

static bool find_uffd(void)
{
	return handled == (pages + apart - 1) / apart;
}

/* The tracer's thread, for which the process waits. */
static void *handle_faults(void *unused)
{
	struct pollfd ready = {.fd = faults, .events = POLLIN};

	(void)unused;
	while (!over) {
		struct uffd_msg message;
		struct uffdio_writeprotect one = {.range = {.len = PAGE}};

		if (poll(&ready, 1, 10) <= 0 ||
		    read(faults, &message, sizeof(message)) != sizeof(message))
			continue;
		one.range.start = message.arg.pagefault.address & -PAGE;
		handled++;
		ioctl(faults, UFFDIO_WRITEPROTECT, &one);
	}
	return NULL;
}

static const struct way {
	const char *name;
	uint64_t features; /* of the child's userfaultfd, if it is to have one */
	bool handler;
	bool (*arm)(void), (*find)(void);
} ways[] = {
	{"alone", 0, false, nothing, nothing},
	{"cape_first", 0, false, arm_first, find_collected},
	{"cape_epoch", 0, false, arm_epoch, find_collected},
	{"cape_twins", 0, false, arm_lock, find_collected},
	{"soft_dirty", 0, false, arm_soft_dirty, find_soft_dirty},
	{"scan", UFFD_FEATURE_WP_ASYNC | UFFD_FEATURE_WP_UNPOPULATED, false, nothing, find_scan},
	{"uffd_wp", UFFD_FEATURE_PAGEFAULT_FLAG_WP, true, arm_uffd, find_uffd},
};

static int by_value(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

/* Nanoseconds for each of COUNT pages. */
static double per_page(double *seconds, size_t count)
{
	qsort(seconds, ROUNDS, sizeof(*seconds), by_value);
	return seconds[ROUNDS / 2] / (double)count * 1e9;
}

static void open_files(const struct way *way)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", child);
	pagemap = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/clear_refs", child);
	clear_refs = open(path, O_WRONLY | O_CLOEXEC);
	descriptor = attach(device, child);
	if (way->features)
		faults = (int)syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, child, 0),
				      shared->faults, 0);
}

/* Returns what the process takes to write; ALONE is what that is without being watched. */
static double measure(const struct way *way, double alone)
{
	double arm[ROUNDS], written[ROUNDS], find[ROUNDS], begin, seconds;
	const size_t count = (pages + apart - 1) / apart;
	bool well = true;
	pthread_t handler;

	shared->features = way->features;
	shared->faults = 0;
	child = spawn(own_memory, write_some, NULL);
	open_files(way);
	if (way->features && shared->faults < 0) {
		printf("%-11s this kernel has no such thing\n", way->name);
		goto out;
	}
	over = false;
	if (way->handler)
		pthread_create(&handler, NULL, handle_faults, NULL);
	if (way->find == find_scan)
		well = protect(true);
	for (int i = 0; i < ROUNDS && well; i++) {
		begin = now();
		well = way->arm();
		arm[i] = now() - begin;
		well = well && run_child(child, descriptor, false, &notices);
		written[i] = shared->seconds;
		begin = now();
		well = well && way->find();
		find[i] = now() - begin;
	}
	if (!well) {
		printf("%-11s does not work\n", way->name);
		exit(1);
	}
	seconds = per_page(written, count);
	printf("%-11s arm_ns %7.1f  write_ns %8.1f  find_ns %7.1f\n", way->name,
	       per_page(arm, pages), seconds - alone, per_page(find, pages));
	alone = seconds;
out:
	fflush(stdout);
	close(descriptor);
	reap(child);
	over = true;
	if (way->handler && shared->faults >= 0)
		pthread_join(handler, NULL);
	close(pagemap);
	close(clear_refs);
	if (way->features)
		close(faults);
	return alone;
}

int main(int argc, char **argv)
{
	double alone = 0;

	if (argc > 1)
		pages = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		apart = strtoul(argv[2], NULL, 10);
	if (pages == 0 || apart == 0 || pages / apart > 65000)
		return 1;
	device = open_device();
	memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	printf("pages %zu, one of %zu is written\n", pages, apart);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		double seconds = measure(&ways[i], alone);

		alone = i ? alone : seconds;
	}
	return 0;
}
