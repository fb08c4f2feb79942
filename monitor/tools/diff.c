/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.c - the bytes that a process has changed since it was locked: its memory beside the twins.
 */
#include "diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PAGE	4096u
#define PAGES	64
#define AT_ONCE 16 /* bytes on a line */

struct batch {
	struct cape_dirty page[PAGES];
	unsigned char twin[PAGES][PAGE];
	unsigned char now[PAGE];
};

/* Stretches of bytes that all differ, in lines. */
static void compare(struct print_list *list, uint64_t address, const unsigned char *before,
		    const unsigned char *after)
{
	size_t start = 0, end;

	for (; start < PAGE; start = end) {
		for (end = start; end < PAGE && end < start + AT_ONCE; end++)
			if (before[end] == after[end])
				break;
		if (end > start)
			print_change(list, address + start, before + start, after + start,
				     end - start);
		else
			end++;
	}
}

static int diff_batch(int descriptor, const struct cape_collect *collect, struct batch *batch,
		      struct print_list *list)
{
	static const unsigned char zero[PAGE];
	uint32_t twins = 0;

	for (uint32_t i = 0; i < collect->page_count; i++) {
		uint64_t address = batch->page[i].address;
		struct cape_access access = {
			.address = address,
			.length = PAGE,
			.buffer = (uintptr_t)batch->now,
		};
		const unsigned char *before = zero;

		if (batch->page[i].twin_state == CAPE_TWIN_PAGE)
			before = batch->twin[twins++];
		if (ioctl(descriptor, CAPE_READ_RANGE, &access) == 0)
			compare(list, address, before, batch->now);
		else if (errno == EFAULT)
			print_unreadable(list, address);
		else
			return errno;
	}
	return 0;
}

/* Pages from ADDRESS on, as they were at EPOCH; those that were not mapped are not THERE. */
static int read_epoch(int descriptor, uint64_t epoch, uint64_t address, uint64_t count,
		      unsigned char bytes[][PAGE], bool *there)
{
	memset(bytes, 0, count * PAGE);
	for (uint64_t i = 0; i < count; i++) {
		struct cape_read_epoch request = {
			.address = address + i * PAGE,
			.length = PAGE,
			.buffer = (uintptr_t)bytes[i],
			.epoch = epoch,
		};

		there[i] = ioctl(descriptor, CAPE_READ_EPOCH, &request) == 0;
		if (!there[i] && errno != EFAULT)
			return errno;
	}
	return 0;
}

struct both {
	unsigned char before[PAGES][PAGE], after[PAGES][PAGE];
	bool was_there[PAGES], is_there[PAGES];
};

static int diff_extent(int descriptor, uint64_t from, uint64_t to, struct cape_extent extent,
		       struct both *both, struct print_list *list)
{
	int error = 0;

	while (!error && extent.length) {
		uint64_t count = extent.length / PAGE < PAGES ? extent.length / PAGE : PAGES;

		error = read_epoch(descriptor, from, extent.start, count, both->before,
				   both->was_there);
		if (!error)
			error = read_epoch(descriptor, to, extent.start, count, both->after,
					   both->is_there);
		for (uint64_t i = 0; !error && i < count; i++)
			if (both->is_there[i])
				compare(list, extent.start + i * PAGE, both->before[i],
					both->after[i]);
			else if (both->was_there[i])
				print_unreadable(list, extent.start + i * PAGE);
		extent.start += count * PAGE;
		extent.length -= count * PAGE;
	}
	return error;
}

int diff_epochs(int descriptor, uint64_t from, uint64_t to, struct print_list *list)
{
	struct cape_extent extent[PAGES];
	struct cape_diff diff = {
		.from = from,
		.to = to,
		.extents = (uintptr_t)extent,
		.capacity = PAGES,
	};
	struct both *both = calloc(1, sizeof(*both));
	int error = both ? 0 : ENOMEM;

	while (!error && diff.cursor != CAPE_CURSOR_END) {
		error = ioctl(descriptor, CAPE_DIFF, &diff) < 0 ? errno : 0;
		for (uint32_t i = 0; !error && i < diff.count; i++)
			error = diff_extent(descriptor, from, to, extent[i], both, list);
	}
	free(both);
	return error;
}

int diff_print(int descriptor, struct print_list *list)
{
	struct batch *batch = malloc(sizeof(*batch));
	struct cape_collect collect = {.page_capacity = PAGES, .twin_capacity = PAGES};
	int error = batch ? 0 : ENOMEM;

	while (!error && collect.cursor != CAPE_CURSOR_END) {
		collect.pages = (uintptr_t)batch->page;
		collect.twins = (uintptr_t)batch->twin;
		error = ioctl(descriptor, CAPE_COLLECT, &collect) < 0 ? errno : 0;
		if (!error)
			error = diff_batch(descriptor, &collect, batch, list);
	}
	free(batch);
	return error;
}
