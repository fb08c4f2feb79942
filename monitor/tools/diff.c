/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.c - the bytes that a process has changed since it was locked: its memory beside the twins.
 */
#include "diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

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
