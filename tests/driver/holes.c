/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holes.c - memory with holes of every kind in its page tables: all pages that there are get a
 * twin, and all that are written are told, behind each hole as before it.
 *
 * Each block of memory lies under a page table of its own, if it has one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_epoch.h"

#define BLOCK  (2ul << 20)
#define PAGES  (BLOCK / PAGE)
#define BLOCKS 10
#define NEVER  PAGES

/* Of each block the pages that are there: from @first on, one of @every. */
static const struct pattern {
	const char *name;
	size_t first, every;
	bool dropped; /* all were there, and are gone */
} patterns[BLOCKS] = {
	{"every other page, from the first", 0, 2, false},
	{"no page table", NEVER, 1, false},
	{"every other page, from the second", 1, 2, false},
	{"one page in the middle", PAGES / 2, PAGES, false},
	{"an empty page table", NEVER, 1, true},
	{"the last page only", PAGES - 1, PAGES, false},
	{"no page table once more", NEVER, 1, false},
	{"the first page only", 0, PAGES, false},
	{"one page of seven", 3, 7, false},
	{"all but the first", 1, 1, false},
};

static unsigned char *memory;
static struct collected collected;
static struct notices notices;

static bool is_there(size_t block, size_t page)
{
	const struct pattern *pattern = &patterns[block];

	return page >= pattern->first && (page - pattern->first) % pattern->every == 0;
}

static unsigned char *page_of(size_t block, size_t page)
{
	return memory + block * BLOCK + page * PAGE;
}

static void touch_some(void)
{
	madvise(memory, BLOCKS * BLOCK, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < BLOCKS * PAGES; i++)
		if (is_there(i / PAGES, i % PAGES))
			memset(page_of(i / PAGES, i % PAGES), 1 + (int)(i % 250), PAGE);
	for (size_t block = 0; block < BLOCKS; block++)
		if (patterns[block].dropped) {
			memset(page_of(block, 0), 1, BLOCK);
			madvise(page_of(block, 0), BLOCK, MADV_DONTNEED);
		}
}

static void write_all(void *argument)
{
	(void)argument;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < BLOCKS * PAGES; i++)
			*page_of(i / PAGES, i % PAGES) = 0;
		pause_here();
	}
}

static size_t pages_there(void)
{
	size_t count = 0;

	for (size_t i = 0; i < BLOCKS * PAGES; i++)
		count += is_there(i / PAGES, i % PAGES);
	return count;
}

/* The next twin with bytes is at *TWIN. */
static bool is_right(const struct cape_dirty *dirty, size_t i, const unsigned char **twin)
{
	const unsigned char *bytes = *twin;

	if (dirty->address != (uintptr_t)page_of(i / PAGES, i % PAGES))
		return false;
	if (!is_there(i / PAGES, i % PAGES))
		return dirty->twin_state == CAPE_TWIN_ZERO;
	*twin += PAGE;
	return dirty->twin_state == CAPE_TWIN_PAGE && bytes[0] == 1 + i % 250 &&
	       bytes[PAGE - 1] == bytes[0];
}

/* All pages are written: they are told in order, each with what it was. */
static void check_blocks(void)
{
	const unsigned char *twin = collected.twin;

	for (size_t block = 0; block < BLOCKS; block++) {
		size_t right = 0;

		for (size_t i = block * PAGES; i < (block + 1) * PAGES && i < collected.count; i++)
			right += is_right(&collected.page[i], i, &twin);
		check(right == PAGES, "%s: %zu of %lu pages are told, with their twins",
		      patterns[block].name, right, PAGES);
	}
}

/* What CAPE_SEEK_EPOCH finds from FROM on, or NULL. */
static unsigned char *seek(int descriptor, uint64_t epoch, const void *from, uint32_t flags)
{
	struct cape_seek_epoch request = {
		.address = (uintptr_t)from,
		.epoch = epoch,
		.flags = flags,
	};

	return ioctl(descriptor, CAPE_SEEK_EPOCH, &request) == 0
		       ? (unsigned char *)(uintptr_t)request.address
		       : NULL;
}

/* Epoch 1 has the holes, and epoch 2 none: all pages were written before it. */
static void check_seek(int descriptor)
{
	unsigned char *end = memory + BLOCKS * BLOCK;

	check(seek(descriptor, 1, page_of(1, 7), 0) == page_of(2, 1) &&
		      seek(descriptor, 1, page_of(2, 1) + 5, 0) == page_of(2, 1) + 5 &&
		      seek(descriptor, 1, page_of(9, 1), 0) == page_of(9, 1),
	      "in an epoch the next page behind holes is found");
	check(seek(descriptor, 1, memory, CAPE_SEEK_HOLE) == page_of(0, 1) &&
		      seek(descriptor, 1, page_of(1, 3), CAPE_SEEK_HOLE) == page_of(1, 3) &&
		      seek(descriptor, 1, page_of(9, 1), CAPE_SEEK_HOLE) == end,
	      "and the next hole");
	check(seek(descriptor, 2, page_of(1, 7), 0) == page_of(1, 7) &&
		      seek(descriptor, CAPE_EPOCH_NEWEST, memory, CAPE_SEEK_HOLE) == end,
	      "in the next epoch there are none");
	check(lseek(descriptor, 0, SEEK_CUR) == 0, "the position of the file stays");
	errno = 0;
	check(!seek(descriptor, 1, end, 0) && errno == ENXIO, "behind all of it: ENXIO");
	errno = 0;
	check(!seek(descriptor, 1, (void *)-PAGE, CAPE_SEEK_HOLE) && errno == ENXIO,
	      "behind all addresses: ENXIO");
	errno = 0;
	check(!seek(descriptor, 3, memory, 0) && errno == ENOENT, "no such epoch: ENOENT");
	errno = 0;
	check(!seek(descriptor, 1, memory, 2) && errno == EINVAL, "an unknown flag: EINVAL");
}

static void test(int device, uint32_t mode)
{
	struct cape_lock request = {.mode = mode, .range_count = 1};
	struct cape_extent all = {(uintptr_t)memory, BLOCKS * BLOCK};
	struct cape_epoch epoch = {0};
	pid_t child = spawn(touch_some, write_all, NULL);
	int descriptor = attach(device, child);
	bool done;

	request.ranges = (uintptr_t)&all;
	done = ioctl(descriptor, CAPE_LOCK, &request) == 0;
	check(done && request.page_count == pages_there(), "lock: %llu twins, of %zu pages",
	      (unsigned long long)request.page_count, pages_there());
	done = run_child(child, -1, false, &notices);
	check(done && (mode != CAPE_MODE_NOTIFY || notices.count == BLOCKS * PAGES),
	      "the process writes all pages (%zu notices)", notices.count);
	done = collect(descriptor, PAGES, true, 0, &collected);
	check(done && collected.count == BLOCKS * PAGES, "collect: %zu pages", collected.count);
	check_blocks();
	done = ioctl(descriptor, CAPE_EPOCH, &epoch) == 0;
	check(done && epoch.page_count == BLOCKS * PAGES, "another epoch: %llu pages are others",
	      (unsigned long long)epoch.page_count);
	check_seek(descriptor);
	done = run_child(child, -1, false, &notices) &&
	       collect(descriptor, PAGES, false, 0, &collected);
	check(done && collected.count == BLOCKS * PAGES, "written once more, %zu pages are told",
	      collected.count);
	close(descriptor);
	reap(child);
}

int main(void)
{
	int device = open_device();

	memory = mmap(NULL, (BLOCKS + 1) * BLOCK, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	memory = (unsigned char *)(((uintptr_t)memory + BLOCK - 1) & -BLOCK);
	test(device, CAPE_MODE_SNAPSHOT);
	test(device, CAPE_MODE_NOTIFY);
	return finish();
}
