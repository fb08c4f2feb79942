// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture.c - copying pages of the program into the channel.
 */
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include "common/list.h"

#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_SWAPPED (1ull << 62)

#define GUESS 1ull /* in the table of pages: nobody wrote to it when it was captured */
#define SEEN  16   /* pages that are compared at once */

int capture_start(struct capture *capture, struct cape_channel *channel, pid_t process)
{
	char path[64];

	*capture = (struct capture){.channel = channel, .process = process};
	snprintf(path, sizeof(path), "/proc/%d/pagemap", process);
	capture->pagemap = open(path, O_RDONLY | O_CLOEXEC);
	capture->page_capacity = 1024;
	capture->page = calloc(capture->page_capacity, sizeof(*capture->page));
	capture->seen = malloc(SEEN * CAPTURE_PAGE);
	return capture->page && capture->seen ? 0 : -ENOMEM;
}

void capture_stop(struct capture *capture)
{
	if (capture->pagemap >= 0)
		close(capture->pagemap);
	free(capture->page);
	free(capture->seen);
	free(capture->range);
	*capture = (struct capture){.pagemap = -1};
}

void capture_reset(struct capture *capture)
{
	memset(capture->page, 0, capture->page_capacity * sizeof(*capture->page));
	capture->page_count = 0;
	capture->guesses = 0;
	capture->range_count = 0;
	capture->count = 0;
	capture->sorted = 0;
	capture->twins_used = 0;
	capture->image_used = 0;
	capture->pages = 0;
	capture->batch_end = 0;
	capture->channel->capture.count = 0;
}

/* Where PAGE is or would be. */
static size_t place(const struct capture *capture, uint64_t page)
{
	size_t mask = capture->page_capacity - 1;
	size_t at = (size_t)((page / CAPTURE_PAGE * 0x9e3779b97f4a7c15ull) >> 32) & mask;

	while (capture->page[at] && ((capture->page[at] ^ page) & -CAPTURE_PAGE))
		at = (at + 1) & mask;
	return at;
}

static int grow(struct capture *capture)
{
	uint64_t *old = capture->page;
	size_t capacity = capture->page_capacity;

	capture->page = calloc(2 * capacity, sizeof(*old));
	if (!capture->page) {
		capture->page = old;
		return -ENOMEM;
	}
	capture->page_capacity = 2 * capacity;
	for (size_t i = 0; i < capacity; i++)
		if (old[i])
			capture->page[place(capture, old[i])] = old[i];
	free(old);
	return 0;
}

/* PAGE may be a GUESS. */
static int remember(struct capture *capture, uint64_t page)
{
	if (2 * capture->page_count >= capture->page_capacity && grow(capture) < 0)
		return -ENOMEM;
	capture->page[place(capture, page)] = page;
	capture->page_count++;
	return 0;
}

static bool in_sorted(const struct capture *capture, uint64_t page)
{
	const struct cape_captured *list = cape_channel_captured(capture->channel);
	uint64_t found = cape_captured_find(list, capture->sorted, page);

	return found < capture->sorted && list[found].address <= page;
}

bool capture_has(const struct capture *capture, uint64_t page)
{
	if (capture->sorted && in_sorted(capture, page))
		return true;
	for (size_t i = 0; i < capture->range_count; i++)
		if (page >= capture->range[i].start && page < capture->range[i].end)
			return true;
	return capture->page[place(capture, page)];
}

/*
 * Whether the page exists.  What is known of a page stays true while it is locked: it cannot come
 * into being other than as zeros.
 */
static bool exists(struct capture *capture, uint64_t page)
{
	if (capture->pagemap < 0)
		return true;
	if (page < capture->batch_start || page >= capture->batch_end) {
		uint64_t start = page & -(CAPTURE_BATCH * CAPTURE_PAGE);
		ssize_t got = pread(capture->pagemap, capture->batch, sizeof(capture->batch),
				    (off_t)(start / CAPTURE_PAGE * sizeof(uint64_t)));

		capture->batch_start = start;
		capture->batch_end = start;
		if (got > 0)
			capture->batch_end += (uint64_t)got / sizeof(uint64_t) * CAPTURE_PAGE;
		if (page >= capture->batch_end)
			return true;
	}
	return capture->batch[(page - capture->batch_start) / CAPTURE_PAGE] &
	       (PAGEMAP_PRESENT | PAGEMAP_SWAPPED);
}

static int add_entry(struct capture *capture, struct cape_captured entry)
{
	struct cape_captured *list = cape_channel_captured(capture->channel);
	struct cape_captured *last = capture->count ? &list[capture->count - 1] : NULL;

	capture->pages += entry.length / CAPTURE_PAGE;
	if (last && last->address + last->length == entry.address && !last->image &&
	    (entry.twin ? last->twin && last->twin + last->length == entry.twin : !last->twin)) {
		last->length += entry.length;
		return 0;
	}
	if (capture->count == CAPE_CAPTURED_LIMIT)
		return -ENOSPC;
	list[capture->count++] = entry;
	return 0;
}

/* The parts of ENTRY that can be read. */
static int add_mapped(struct capture *capture, const struct cape_captured *entry,
		      const struct mappings *mappings)
{
	uint64_t at = entry->address, end = entry->address + entry->length;
	const struct mapping *mapping;
	int error = 0;

	while (!error && at < end && (mapping = mappings_find(mappings, at)) &&
	       mapping->start < end) {
		uint64_t start = mapping->start > at ? mapping->start : at;
		struct cape_captured part = {.address = start};

		at = mapping->end < end ? mapping->end : end;
		part.length = at - start;
		part.twin = entry->twin ? entry->twin + (start - entry->address) : 0;
		if (mapping->prot & PROT_READ)
			error = add_entry(capture, part);
	}
	return error;
}

static int copy(const struct capture *capture, uint64_t from, uint64_t offset, uint64_t length)
{
	while (length) {
		size_t part = length < (1ul << 30) ? length : 1ul << 30;
		struct iovec to = {(char *)capture->channel + offset, part};
		struct iovec source = {(void *)(uintptr_t)from, part};
		ssize_t got = process_vm_readv(capture->process, &to, 1, &source, 1, 0);

		if (got <= 0)
			return got < 0 ? -errno : -EFAULT;
		from += (uint64_t)got;
		offset += (uint64_t)got;
		length -= (uint64_t)got;
	}
	return 0;
}

void *capture_slot(struct capture *capture)
{
	if (capture->twins_used + CAPTURE_PAGE > CAPE_TWINS_LIMIT)
		return NULL;
	return (char *)capture->channel + CAPE_CHANNEL_TWINS + capture->twins_used;
}

int capture_take_slot(struct capture *capture, uint64_t page, bool zero)
{
	struct cape_captured entry = {.address = page, .length = CAPTURE_PAGE};
	int error = remember(capture, page);

	if (!zero) {
		entry.twin = CAPE_CHANNEL_TWINS + capture->twins_used;
		capture->twins_used += CAPTURE_PAGE;
	}
	return error ? error : add_entry(capture, entry);
}

static int add_range(struct capture *capture, uint64_t start, uint64_t end)
{
	struct cape_range *range = list_room(capture->range, capture->range_count,
					     &capture->range_capacity, sizeof(*range));

	if (!range)
		return -ENOMEM;
	capture->range = range;
	capture->range[capture->range_count++] = (struct cape_range){start, end};
	return 0;
}

/* Pages in a row that exist are copied as one. */
static int capture_stretch(struct capture *capture, uint64_t start, uint64_t end, bool zero)
{
	struct cape_captured entry = {.address = start, .length = end - start};
	int error;

	if (start == end)
		return 0;
	if (!zero) {
		if (entry.length > CAPE_TWINS_LIMIT - capture->twins_used)
			return -ENOSPC;
		entry.twin = CAPE_CHANNEL_TWINS + capture->twins_used;
		error = copy(capture, start, entry.twin, entry.length);
		if (error)
			return error;
		capture->twins_used += entry.length;
	}
	return add_entry(capture, entry);
}

/* Whether PAGE is zeros because it does not exist. */
static bool is_zero(struct capture *capture, uint64_t page, bool anonymous)
{
	return anonymous && !exists(capture, page);
}

int capture_ahead(struct capture *capture, uint64_t page, uint64_t *end, bool anonymous)
{
	uint64_t most = *end;
	bool zero;
	int error;

	*end = page + CAPTURE_PAGE;
	if (capture_has(capture, page))
		return 0;
	zero = is_zero(capture, page, anonymous);
	while (*end < most && !capture_has(capture, *end) &&
	       is_zero(capture, *end, anonymous) == zero)
		*end += CAPTURE_PAGE;
	error = capture_stretch(capture, page, *end, zero);
	/* A mapping may be longer than its file. */
	if (error && *end > page + CAPTURE_PAGE) {
		*end = page + CAPTURE_PAGE;
		error = capture_stretch(capture, page, *end, zero);
	}
	if (!error)
		error = remember(capture, page);
	for (page += CAPTURE_PAGE; page < *end && !error; page += CAPTURE_PAGE) {
		error = remember(capture, page | GUESS);
		capture->guesses++;
	}
	return error;
}

int capture_page(struct capture *capture, uint64_t page, bool anonymous)
{
	uint64_t end = page + CAPTURE_PAGE;

	return capture_ahead(capture, page, &end, anonymous);
}

/* What PAGE of ENTRY holds now, or NULL. */
static const void *look_at(struct capture *capture, const struct cape_captured *entry,
			   uint64_t page)
{
	if (page < capture->seen_start || page >= capture->seen_end) {
		uint64_t left = entry->address + entry->length - page;
		struct iovec to = {capture->seen, SEEN * CAPTURE_PAGE};
		struct iovec from = {(void *)(uintptr_t)page,
				     left < to.iov_len ? left : to.iov_len};
		ssize_t got = process_vm_readv(capture->process, &to, 1, &from, 1, 0);

		if (got < (ssize_t)CAPTURE_PAGE)
			return NULL;
		capture->seen_start = page;
		capture->seen_end = page + (uint64_t)got / CAPTURE_PAGE * CAPTURE_PAGE;
	}
	return capture->seen + (page - capture->seen_start);
}

static bool was_written(struct capture *capture, const struct cape_captured *entry, uint64_t page)
{
	static const unsigned char zeros[CAPTURE_PAGE];
	const void *twin = zeros, *now;

	if (capture->page[place(capture, page)] != (page | GUESS))
		return true;
	if (entry->twin)
		twin = (char *)capture->channel + entry->twin + (page - entry->address);
	else if (!exists(capture, page))
		return false;
	now = look_at(capture, entry, page);
	return !now || memcmp(now, twin, CAPTURE_PAGE) != 0;
}

static int add_written(struct capture *capture, const struct cape_captured *entry,
		       const struct mappings *mappings)
{
	uint64_t end = entry->address + entry->length;
	int error = 0;

	(void)mappings;
	for (uint64_t page = entry->address; page < end && !error; page += CAPTURE_PAGE) {
		struct cape_captured part = {.address = page, .length = CAPTURE_PAGE};

		if (entry->twin)
			part.twin = entry->twin + (page - entry->address);
		if (was_written(capture, entry, page))
			error = add_entry(capture, part);
	}
	return error;
}

int capture_existing(struct capture *capture, uint64_t start, uint64_t end)
{
	uint64_t from = start;
	int error = 0;

	for (uint64_t page = start; page < end && !error; page += CAPTURE_PAGE) {
		if (exists(capture, page))
			continue;
		error = capture_stretch(capture, from, page, false);
		from = page + CAPTURE_PAGE;
	}
	if (!error)
		error = capture_stretch(capture, from, end, false);
	capture->sorted = capture->count;
	return error;
}

int capture_range(struct capture *capture, uint64_t start, uint64_t end, bool anonymous)
{
	uint64_t from = start;
	bool zero = false;
	int error = 0;

	for (uint64_t page = start; page < end && !error; page += CAPTURE_PAGE) {
		bool known = capture_has(capture, page);
		bool none = !known && is_zero(capture, page, anonymous);

		if (known || none != zero) {
			error = capture_stretch(capture, from, page, zero);
			from = known ? page + CAPTURE_PAGE : page;
			zero = none;
		}
	}
	if (!error)
		error = capture_stretch(capture, from, end, zero);
	return error ? error : add_range(capture, start, end);
}

int capture_fresh(struct capture *capture, uint64_t start, uint64_t end)
{
	uint64_t from = start;
	int error = 0;

	capture->batch_end = 0;
	for (uint64_t page = start; page < end && !error; page += CAPTURE_PAGE) {
		if (!capture_has(capture, page) && exists(capture, page))
			continue;
		error = capture_stretch(capture, from, page, true);
		from = page + CAPTURE_PAGE;
	}
	if (!error)
		error = capture_stretch(capture, from, end, true);
	/* The same memory may be named once more. */
	return error ? error : add_range(capture, start, end);
}

/* Puts in the place of each entry what ADD makes of it. */
static int remake(struct capture *capture, const struct mappings *mappings,
		  int (*add)(struct capture *capture, const struct cape_captured *entry,
			     const struct mappings *mappings))
{
	struct cape_captured *list = cape_channel_captured(capture->channel), *old;
	uint64_t count = capture->count;
	int error = 0;

	old = malloc(count * sizeof(*old) + 1);
	if (!old)
		return -ENOMEM;
	memcpy(old, list, count * sizeof(*old));
	capture->count = 0;
	capture->pages = 0;
	for (uint64_t i = 0; i < count && !error; i++)
		error = add(capture, &old[i], mappings);
	free(old);
	return error;
}

int capture_drop_unmapped(struct capture *capture, const struct mappings *mappings)
{
	return remake(capture, mappings, add_mapped);
}

int capture_drop_unwritten(struct capture *capture)
{
	if (!capture->guesses)
		return 0;
	capture->batch_end = 0;
	capture->seen_end = 0;
	return remake(capture, NULL, add_written);
}

int capture_image(struct capture *capture)
{
	struct cape_captured *list = cape_channel_captured(capture->channel);
	int error = 0;

	for (uint64_t i = 0; i < capture->count && !error; i++) {
		if (list[i].length > CAPE_TWINS_LIMIT - capture->image_used)
			return -ENOSPC;
		list[i].image = CAPE_CHANNEL_IMAGE + capture->image_used;
		error = copy(capture, list[i].address, list[i].image, list[i].length);
		capture->image_used += list[i].length;
	}
	return error;
}

static int compare(const void *a, const void *b)
{
	uint64_t first = ((const struct cape_captured *)a)->address;
	uint64_t second = ((const struct cape_captured *)b)->address;

	return (first > second) - (first < second);
}

void capture_finish(struct capture *capture)
{
	struct cape_captured *list = cape_channel_captured(capture->channel);
	uint64_t pages = capture->pages, count = capture->count;

	qsort(list, count, sizeof(*list), compare);
	/* Neighbours become one where their twins are neighbours too. */
	capture->count = 0;
	for (uint64_t i = 0; i < count; i++)
		add_entry(capture, list[i]);
	capture->pages = pages;
	capture->channel->capture.count = capture->count;
}
