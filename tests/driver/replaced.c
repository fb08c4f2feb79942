/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replaced.c - private memory in whose place something was mapped that is not covered: memory that
 * is shared, a device, huge pages.  It counts as written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_epoch.h"

#define PAGES	16
#define OF_FILE 8 /* the first page of the file */
#define HUGE	(2ul << 20)

static unsigned char *area, *huge;
static volatile bool *has_huge;
static int device, file, disk;
static struct collected collected;
static struct notices notices;

static unsigned char *page(size_t number)
{
	return area + number * PAGE;
}

static void write_first(void)
{
	memset(area, 7, (OF_FILE - 1) * PAGE);
	memset(page(OF_FILE), 'w', PAGE);
	memset(huge, 'h', PAGE);
}

static void map(void *address, size_t length, int flags, int from)
{
	if (mmap(address, length, PROT_READ, MAP_FIXED | flags, from, 0) == MAP_FAILED)
		abort();
}

static void replace(void *unused)
{
	(void)unused;
	map(page(0), 2 * PAGE, MAP_SHARED | MAP_ANONYMOUS, -1);
	munmap(page(4), PAGE);
	map(page(7), PAGE, MAP_SHARED | MAP_ANONYMOUS, -1);
	map(page(OF_FILE), 2 * PAGE, MAP_SHARED, file);
	if (disk >= 0)
		map(page(12), PAGE, MAP_PRIVATE, disk);
	*has_huge = mmap(huge, HUGE, PROT_READ | PROT_WRITE,
			 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) == huge;
}

static bool has_twin(size_t number, int letter)
{
	const unsigned char *twin = collected_twin(&collected, page(number));

	return twin && twin[0] == letter && twin[PAGE - 1] == letter;
}

static bool is_told(size_t number)
{
	return collected_page(&collected, page(number));
}

static void check_collected(int descriptor)
{
	const struct cape_dirty *never;
	struct cape_capture capture = {.address = (uintptr_t)page(0), .flags = CAPE_CAPTURE_KEEP};

	check(collect(descriptor, 4, true, 0, &collected) && has_twin(0, 7) && has_twin(1, 7),
	      "memory in whose place shared memory is mapped is collected");
	never = collected_page(&collected, page(7));
	check(never && never->twin_state == CAPE_TWIN_ZERO, "also what was never touched");
	check(has_twin(OF_FILE, 'w') && has_twin(OF_FILE + 1, 'f'),
	      "so is that of a file whose same bytes are now shared");
	check(disk < 0 || has_twin(12, 'f'), "and where a device is%s",
	      disk < 0 ? " # SKIP there is none" : "");
	check(!is_told(2) && !is_told(4) && !is_told(10), "what is as it was, or gone, is not");
	check(!*has_huge || collected_page(&collected, huge + HUGE - PAGE),
	      "huge pages take the place of all%s", *has_huge ? "" : " # SKIP there are none");
	check(ioctl(descriptor, CAPE_CAPTURE_PAGE, &capture) == 0 &&
		      capture.twin_state == CAPE_TWIN_PAGE,
	      "one of them is captured");
}

static void check_others(int descriptor)
{
	struct cape_rollback back = {0};
	struct cape_epoch epoch = {0};
	struct cape_extent extent[16];
	struct cape_diff diff = {
		.from = 1, .extents = (uintptr_t)extent, .capacity = 16, .to = CAPE_EPOCH_NEWEST};
	bool told = false;

	check(ioctl(descriptor, CAPE_ROLLBACK, &back) < 0 && errno == ESTALE &&
		      (back.address == (uintptr_t)page(0) || back.address == (uintptr_t)huge),
	      "it cannot be put back: ESTALE");
	check(ioctl(descriptor, CAPE_EPOCH, &epoch) == 0 &&
		      ioctl(descriptor, CAPE_DIFF, &diff) == 0,
	      "another epoch");
	for (uint32_t i = 0; i < diff.count; i++)
		told |= (uintptr_t)page(0) - extent[i].start < extent[i].length;
	check(told, "whose difference tells it");
	check(collect(descriptor, 64, true, 0, &collected) &&
		      collected_within(&collected, area, PAGES * PAGE) == 0,
	      "and in which it is not written");
}

int main(void)
{
	pid_t child;
	int descriptor;

	device = open_device();
	file = make_file();
	if (ftruncate(file, OF_FILE * PAGE) < 0)
		abort();
	for (size_t i = 2; i < OF_FILE; i++)
		for (size_t byte = 0; byte < PAGE; byte += 8)
			if (pwrite(file, "ffffffff", 8, (off_t)(i * PAGE + byte)) != 8)
				abort();
	disk = open("/dev/ram0", O_RDONLY | O_CLOEXEC);
	put("/proc/sys/vm/nr_hugepages", "1");
	area = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mmap(page(OF_FILE), OF_FILE * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file,
	     0);
	huge = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	huge = (unsigned char *)(((uintptr_t)huge + HUGE - 1) & -HUGE);
	has_huge = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = spawn(write_first, replace, NULL);
	descriptor = attach(device, child);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0 &&
		      run_child(child, descriptor, false, &notices),
	      "private memory is locked, and replaced");
	check_collected(descriptor);
	check_others(descriptor);
	close(descriptor);
	reap(child);
	put("/proc/sys/vm/nr_hugepages", "0");
	return finish();
}
