/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zeros.c - the kernel's zero page in a private mapping of a file is what the process has in place
 * of the file's page, be it put there by userfaultfd or by the merging of equal pages.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_epoch.h"

#define PAGES 4
#define KSM   "/sys/kernel/mm/ksm/"

static unsigned char *area;
static volatile unsigned char *seen; /* by the child */
static int device;
static struct collected collected;
static struct notices notices;

/* Of page FIRST and the one after it. */
static void put_zeros(size_t first)
{
	int provider = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_range range = {(uintptr_t)(area + first * PAGE), 2 * PAGE};
	struct uffdio_register all = {.range = range, .mode = UFFDIO_REGISTER_MODE_MISSING};
	struct uffdio_zeropage zeros = {.range = range};

	if (provider < 0 || ioctl(provider, UFFDIO_API, &api) < 0 ||
	    ioctl(provider, UFFDIO_REGISTER, &all) < 0 ||
	    ioctl(provider, UFFDIO_ZEROPAGE, &zeros) < 0)
		abort();
	close(provider);
}

static void put_first_zeros(void)
{
	put_zeros(0);
}

static void put_later_zeros(void *unused)
{
	(void)unused;
	put_zeros(0);
	seen[0] = area[0];
}

/* Pages 0 and 1 were zero: one is written, one dropped. */
static void lose_zeros(void *unused)
{
	(void)unused;
	area[0] = 'x';
	madvise(area + PAGE, PAGE, MADV_DONTNEED);
	seen[0] = area[PAGE];
}

static void write_zeros(void *unused)
{
	(void)unused;
	memset(area, 0, PAGES * PAGE);
}

static void let_merge(void)
{
	madvise(area, PAGES * PAGE, MADV_MERGEABLE);
}

/* VALUE, or -1. */
static int byte_at(int descriptor, unsigned long number, size_t page)
{
	unsigned char value;
	struct cape_access access = {
		.address = (uintptr_t)(area + page * PAGE),
		.length = 1,
		.buffer = (uintptr_t)&value,
	};

	return ioctl(descriptor, number, &access) < 0 ? -1 : value;
}

static bool is_told(int descriptor, size_t page, int twin)
{
	const unsigned char *bytes;

	if (!collect(descriptor, 64, true, 0, &collected))
		return false;
	bytes = collected_twin(&collected, area + page * PAGE);
	return bytes && bytes[0] == twin && memcmp(bytes, bytes + 1, PAGE - 1) == 0;
}

static bool differs(int descriptor, uint64_t from, size_t page)
{
	struct cape_extent extent[64];
	struct cape_diff diff = {
		.from = from, .extents = (uintptr_t)extent, .capacity = 64, .to = from + 1};
	uint64_t address = (uintptr_t)(area + page * PAGE);
	bool found = false;

	if (ioctl(descriptor, CAPE_DIFF, &diff) < 0)
		return false;
	for (uint32_t i = 0; i < diff.count; i++)
		found |= address - extent[i].start < extent[i].length;
	return found;
}

static int rollback_to(int descriptor, uint64_t epoch)
{
	struct cape_rollback_to request = {.epoch = epoch};

	return ioctl(descriptor, CAPE_ROLLBACK_TO, &request);
}

static void test_later(void)
{
	pid_t child = spawn(NULL, put_later_zeros, NULL);
	int descriptor = attach(device, child);
	struct cape_epoch epoch = {0};

	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0 &&
		      run_child(child, descriptor, false, &notices) && seen[0] == 0,
	      "userfaultfd puts zeros in place of a file's bytes");
	check(is_told(descriptor, 0, 'f') && is_told(descriptor, 1, 'f'),
	      "the pages are collected, with the file's bytes as twins");
	check(byte_at(descriptor, CAPE_READ_LOCKED, 0) == 'f', "which is what was there");
	check(ioctl(descriptor, CAPE_EPOCH, &epoch) == 0 && differs(descriptor, 1, 0) &&
		      !differs(descriptor, 1, 2),
	      "the difference of two epochs tells them");
	check(byte_at(descriptor, CAPE_READ_LOCKED, 0) == 0, "in the second there are zeros");
	check(!is_told(descriptor, 0, 0), "in which nothing is written");
	check(rollback_to(descriptor, 1) == 0 && byte_at(descriptor, CAPE_READ_RANGE, 0) == 'f' &&
		      byte_at(descriptor, CAPE_READ_RANGE, 1) == 'f',
	      "back in the first, there are the file's bytes");
	check(!is_told(descriptor, 0, 'f') && collect(descriptor, 64, false, 0, &collected) &&
		      collected_within(&collected, area, PAGES * PAGE) == 0,
	      "and nothing is written");
	close(descriptor);
	reap(child);
}

static void test_before(void)
{
	pid_t child = spawn(put_first_zeros, lose_zeros, NULL);
	int descriptor = attach(device, child);
	struct cape_rollback back = {0};

	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0 &&
		      byte_at(descriptor, CAPE_READ_LOCKED, 0) == 0 &&
		      byte_at(descriptor, CAPE_READ_LOCKED, 2) == 'f',
	      "zeros that were there at the lock are read");
	check(collect(descriptor, 64, false, 0, &collected) &&
		      collected_within(&collected, area, PAGES * PAGE) == 0,
	      "and are not written");
	check(run_child(child, descriptor, false, &notices) && seen[0] == 'f',
	      "the process writes one page of them, and drops the other");
	check(is_told(descriptor, 0, 0) && is_told(descriptor, 1, 0), "both are collected");
	check(ioctl(descriptor, CAPE_ROLLBACK, &back) == 0 &&
		      byte_at(descriptor, CAPE_READ_RANGE, 0) == 0 &&
		      byte_at(descriptor, CAPE_READ_RANGE, 1) == 0,
	      "and zero after the rollback");
	close(descriptor);
	reap(child);
}

/* The number of the frame of a page, as root sees it. */
static uint64_t frame(pid_t process, const void *address)
{
	uint64_t entry = 0;
	char name[64];
	int file;

	snprintf(name, sizeof(name), "/proc/%d/pagemap", process);
	file = open(name, O_RDONLY | O_CLOEXEC);
	if (pread(file, &entry, sizeof(entry), (off_t)((uintptr_t)address / PAGE * 8)) < 0)
		entry = 0;
	close(file);
	return entry & ((1ull << 55) - 1);
}

static bool gets_merged(pid_t child)
{
	volatile unsigned char *zero =
		mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool merged = false;

	(void)*zero;
	for (int tries = 0; tries < 300 && !merged; tries++) {
		merged = frame(child, area) == frame(getpid(), (void *)zero);
		usleep(100000);
	}
	munmap((void *)zero, PAGE);
	return merged;
}

static void test_merged(void)
{
	pid_t child;
	int descriptor;

	if (!put(KSM "use_zero_pages", "1")) {
		check(true, "zeros by merging # SKIP this kernel merges no pages");
		return;
	}
	put(KSM "pages_to_scan", "10000");
	put(KSM "sleep_millisecs", "10");
	put(KSM "run", "1");
	child = spawn(let_merge, write_zeros, NULL);
	descriptor = attach(device, child);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0 &&
		      run_child(child, descriptor, false, &notices) && gets_merged(child),
	      "zeros that the process wrote become the zero page");
	check(is_told(descriptor, 0, 'f'), "they stay written");
	check(rollback_to(descriptor, 1) == 0 && byte_at(descriptor, CAPE_READ_RANGE, 0) == 'f',
	      "and are put back");
	put(KSM "run", "0");
	close(descriptor);
	reap(child);
}

int main(void)
{
	int file = memfd_create("bytes", MFD_CLOEXEC);
	unsigned char bytes[PAGES * PAGE];

	memset(bytes, 'f', sizeof(bytes));
	if (write(file, bytes, sizeof(bytes)) != sizeof(bytes))
		abort();
	area = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	seen = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	device = open_device();
	test_later();
	test_before();
	test_merged();
	return finish();
}
