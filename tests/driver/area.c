/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * area.c - see area.h.
 */
#include "area.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "module.h"

int device, area_file, descriptor;
unsigned char *area;
struct shared *shared;
pid_t child;
bool pages_told[PAGES];

void make_area(void)
{
	unsigned char bytes[PAGE];

	area_file = open("/tmp/area", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	for (int i = 0; i < PAGES; i++) {
		memset(bytes, 'a' + i % 26, sizeof(bytes));
		if (write(area_file, bytes, sizeof(bytes)) != sizeof(bytes))
			abort();
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	area = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(area, PAGES * PAGE, MADV_NOHUGEPAGE);
	memset(shared->kind, ANONYMOUS, PAGES);
	memset(shared->kind + PAGES / 2, OF_FILE, PAGES / 2);
	mmap(area + PAGES / 2 * PAGE, PAGES / 2 * PAGE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_FIXED, area_file, (off_t)(PAGES / 2 * PAGE));
	memset(area, 1, PAGES / 4 * PAGE);
	memset(area + PAGES / 2 * PAGE, 2, PAGES / 4 * PAGE);
}

void own_area(void)
{
	own_pages(area, PAGES / 4 * PAGE);
}

int64_t begin_epoch(void)
{
	struct cape_epoch request = {0};

	return ioctl(descriptor, CAPE_EPOCH, &request) < 0 ? -1 : (int64_t)request.epoch;
}

int about_epoch(unsigned long number, uint64_t epoch)
{
	struct cape_epoch_number request = {epoch, 0, 0};

	return ioctl(descriptor, number, &request);
}

int rollback_to(uint64_t epoch)
{
	struct cape_rollback_to request = {.epoch = epoch};

	return ioctl(descriptor, CAPE_ROLLBACK_TO, &request);
}

struct cape_epochs get_epochs(struct cape_epoch_entry *entry, uint32_t capacity)
{
	struct cape_epochs request = {.entries = (uintptr_t)entry, .capacity = capacity};

	if (ioctl(descriptor, CAPE_GET_EPOCHS, &request) < 0)
		request.count = UINT32_MAX;
	return request;
}

uint64_t twins(void)
{
	struct cape_status status = {0};

	return ioctl(descriptor, CAPE_GET_STATUS, &status) < 0 ? UINT64_MAX : status.twin_count;
}

int lock_area(uint32_t mode)
{
	struct cape_extent range = {(uintptr_t)area, PAGES * PAGE};

	return lock(descriptor, mode, &range, 1);
}

void take_copy(struct copy *copy, uint64_t epoch)
{
	copy->epoch = epoch;
	memcpy(copy->kind, shared->kind, PAGES);
	for (size_t i = 0; i < PAGES; i++) {
		struct cape_access access = {
			(uintptr_t)area + i * PAGE, PAGE, (uintptr_t)copy->bytes[i], 0, 0, 0};

		memset(copy->bytes[i], 0, PAGE);
		if ((ioctl(descriptor, CAPE_READ_RANGE, &access) == 0) !=
		    (copy->kind[i] != NOTHING))
			abort();
	}
}

size_t wrong_pages(const struct copy *copy)
{
	unsigned char bytes[PAGE];
	size_t wrong = 0;

	if (about_epoch(CAPE_VIEW, copy->epoch) < 0)
		return PAGES;
	for (size_t i = 0; i < PAGES; i++) {
		off_t at = (off_t)(uintptr_t)(area + i * PAGE);
		ssize_t got = pread(descriptor, bytes, PAGE, at);

		if (copy->kind[i] == NOTHING)
			wrong += got >= 0 || errno != EFAULT ||
				 lseek(descriptor, at, SEEK_HOLE) != at;
		else
			wrong += got != (ssize_t)PAGE || memcmp(bytes, copy->bytes[i], PAGE) != 0;
		/* A hole has nothing but zeros. */
		if (copy->kind[i] != NOTHING && copy->bytes[i][100])
			wrong += lseek(descriptor, at, SEEK_DATA) != at;
	}
	about_epoch(CAPE_VIEW, CAPE_EPOCH_NEWEST);
	return wrong;
}

static bool ask_difference(uint64_t from, uint64_t to, uint32_t capacity)
{
	struct cape_extent extent[PAGES];
	struct cape_diff diff = {
		.from = from, .to = to, .extents = (uintptr_t)extent, .capacity = capacity};
	uint64_t last = 0;

	memset(pages_told, 0, sizeof(pages_told));
	while (diff.cursor != CAPE_CURSOR_END) {
		if (ioctl(descriptor, CAPE_DIFF, &diff) < 0 || diff.count > capacity)
			return false;
		for (uint32_t i = 0; i < diff.count; i++) {
			uint64_t page = (extent[i].start - (uintptr_t)area) / PAGE;

			if (extent[i].start < last || extent[i].length == 0)
				return false;
			last = extent[i].start + extent[i].length;
			for (; page < PAGES && (uintptr_t)area + page * PAGE < last; page++)
				pages_told[page] = true;
		}
	}
	return true;
}

size_t untold_pages(const struct copy *from, const struct copy *to, uint32_t capacity)
{
	size_t unreported = 0;

	if (!ask_difference(from->epoch, to->epoch, capacity))
		return PAGES;
	for (size_t i = 0; i < PAGES; i++)
		unreported += !pages_told[i] && from->kind[i] == to->kind[i] &&
			      memcmp(from->bytes[i], to->bytes[i], PAGE) != 0;
	return unreported;
}

void stop_child(void)
{
	close(descriptor);
	reap(child);
	/* As it is in this process, of which the next child is a fork. */
	memset(shared->kind, ANONYMOUS, PAGES / 2);
	memset(shared->kind + PAGES / 2, OF_FILE, PAGES / 2);
}
