// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * gather.c - the parts of divided pages come to a node that needs them, from the memory of those
 * who wrote them, and the program can access such pages, or not.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include "channel/remote.h"
#include "memory/directory.h"
#include "message/port.h"
#include "need/divided.h"
#include "need/parts.h"
#include "profile/profile.h"
#include "system/libc.h"

#define PIECES	 CAPE_REMOTE_PIECES
#define GAP_MOST (256 * CAPE_PAGE) /* opened with what is around it */

/* -- reading ----------------------------------------------------------------------------------- */

/* What is about to be read of one node. */
struct cape_divided_reading {
	unsigned node;
	bool alone; /* nothing around it */
	unsigned count;
	struct cape_range piece[PIECES];
};

static void read_pieces(struct cape_runtime *runtime, struct cape_divided_reading *reading)
{
	/* Its monitor says why, and ends the run meanwhile. */
	static const struct timespec ended = {.tv_sec = 5};
	int error = reading->count ? cape_port(runtime)->copy(runtime, reading->node,
							      reading->piece, reading->count)
				   : 0;

	if (error == -ESRCH)
		syscall(SYS_nanosleep, &ended, NULL);
	if (error < 0)
		cape_fail(runtime, reading->piece[0].start,
			  "node %u cannot read @ in the memory of node %u: %s; run with "
			  "--exchange eager",
			  runtime->node, reading->node, strerror(-error));
	for (unsigned i = 0; i < reading->count; i++) {
		cape_profile_memory(runtime, CAPE_TRAFFIC_FETCHED, reading->piece[i], 1);
		cape_divided_note_transfer(runtime, reading->node, reading->piece[i]);
	}
	reading->count = 0;
}

static void add(struct cape_runtime *runtime, struct cape_divided_reading *reading, uint64_t start,
		uint64_t end)
{
	struct cape_range *last = reading->count ? &reading->piece[reading->count - 1] : NULL;

	if (last && last->end == start) {
		last->end = end;
		return;
	}
	if (reading->count == PIECES)
		read_pieces(runtime, reading);
	reading->piece[reading->count++] = (struct cape_range){start, end};
}

static struct cape_divided_reading *reading_of(struct cape_runtime *runtime)
{
	struct cape_divided_table *table = &runtime->need->divided;

	if (!table->reading)
		table->reading = cape_must_reserve(runtime, sizeof(*table->reading));
	return table->reading;
}

void cape_divided_read(struct cape_runtime *runtime, const struct cape_divided_transfer *transfer,
		       size_t count)
{
	struct cape_divided_reading *reading = reading_of(runtime);

	for (size_t i = 0; i < count; i++) {
		if (transfer[i].node != reading->node)
			read_pieces(runtime, reading);
		reading->node = (unsigned)transfer[i].node;
		add(runtime, reading, transfer[i].range.start, transfer[i].range.end);
	}
	read_pieces(runtime, reading);
}

/* -- the program can access pages, or not ---------------------------------------------------- */

/* Calls VISIT for pages of RANGE that are protected, not here, or divided, with what RANGE has. */
typedef void visit_page(void *context, struct cape_area *area, uint64_t start, uint64_t end);

static void each_page(struct cape_runtime *runtime, struct cape_range range, visit_page *visit,
		      void *context)
{
	struct cape_area *area = cape_areas_find(runtime->areas, range.start, 1);
	struct cape_range pages;

	for (uint64_t at = range.start; at < range.end; at = pages.end) {
		pages = cape_directory_next(area, (struct cape_range){at, range.end},
					    CAPE_PAGES_SHUT);
		if (pages.start == UINT64_MAX)
			return;
		for (at = pages.start; at < pages.end; at += CAPE_PAGE)
			visit(context, area, at < range.start ? range.start : at,
			      at + CAPE_PAGE < range.end ? at + CAPE_PAGE : range.end);
	}
}

/* Pages that are to be opened together. */
struct stretch {
	struct cape_runtime *runtime;
	struct cape_range pages;
};

static void mark_alone(struct cape_runtime *runtime, struct cape_area *area,
		       struct cape_range pages)
{
	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE)
		if (cape_directory_page(area, at)->agreed.holders == runtime->directory->self &&
		    !cape_directory_page(area, at)->local.divided)
			cape_directory_open(runtime, area, (struct cape_range){at, at + CAPE_PAGE},
					    true);
}

/* Of what is open then this node's own is so by the directory. */
static void end_stretch(struct stretch *stretch)
{
	struct cape_runtime *runtime = stretch->runtime;
	struct cape_range pages = stretch->pages, left = pages;
	struct cape_area *area;

	if (!pages.end)
		return;
	cape_need_protect(runtime, pages, false);
	cape_ranges_add(runtime, &runtime->need->divided.opened, pages);
	runtime->need->divided.opened_changed = true;
	runtime->need->divided.recording.other = true;
	area = cape_areas_find(runtime->areas, pages.start, 1);
	while ((pages = cape_directory_next(area, left, CAPE_PAGES_SHUT)).start != UINT64_MAX) {
		mark_alone(runtime, area, pages);
		left.start = pages.end;
	}
	stretch->pages = (struct cape_range){0, 0};
}

static void open_visited(void *context, struct cape_area *area, uint64_t start, uint64_t end)
{
	struct stretch *stretch = context;
	struct cape_runtime *runtime = stretch->runtime;
	struct cape_range page = {cape_page_floor(start), cape_page_ceiling(end)};
	uint64_t most = runtime->need->divided.exact ? 0 : GAP_MOST;

	if (cape_divided_is_open(runtime, area, page.start))
		return;
	if (page.start < stretch->pages.start || page.start - stretch->pages.end > most ||
	    stretch->pages.start < area->start) {
		end_stretch(stretch);
		stretch->pages.start = page.start;
	}
	stretch->pages.end = page.end;
}

void cape_divided_open(struct cape_runtime *runtime, const struct cape_range *range, size_t count)
{
	struct stretch stretch = {runtime, {0, 0}};

	for (size_t i = 0; i < count; i++)
		if (!cape_divided_are_opened(runtime, range[i]))
			each_page(runtime, range[i], open_visited, &stretch);
	end_stretch(&stretch);
}

static void close_opened(struct cape_runtime *runtime, struct cape_range range)
{
	struct cape_area *area = cape_areas_find(runtime->areas, range.start, 1);
	struct cape_range pages;

	while ((pages = cape_directory_next(area, range, CAPE_PAGES_OWNED)).start != UINT64_MAX) {
		cape_need_protect(runtime, pages, true);
		for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE)
			if (cape_directory_is_open(area, at))
				cape_directory_open(runtime, area,
						    (struct cape_range){at, at + CAPE_PAGE}, false);
		range.start = pages.end;
	}
}

void cape_divided_close_now(struct cape_runtime *runtime)
{
	struct cape_ranges *opened = &runtime->need->divided.opened;

	for (size_t i = 0; i < opened->count; i++)
		close_opened(runtime, opened->range[i]);
	runtime->need->divided.opened_changed |= opened->count > 0;
	opened->count = 0;
}

void cape_divided_close(struct cape_runtime *runtime)
{
	struct cape_divided_table *table = &runtime->need->divided;
	struct cape_ranges closed = table->opened;

	if (!closed.count)
		return;
	cape_divided_close_now(runtime);
	table->opened = table->before;
	table->opened.count = 0;
	table->opened_changed = true;
	table->before = closed;
}

void cape_divided_be_exact(struct cape_runtime *runtime)
{
	struct cape_divided_table *table = &runtime->need->divided;

	if (table->exact)
		return;
	cape_divided_close(runtime);
	table->before.count = 0;
	table->exact = true;
}

void cape_divided_reopen(struct cape_runtime *runtime)
{
	struct cape_ranges *before = &runtime->need->divided.before;

	cape_divided_open(runtime, before->range, before->count);
	before->count = 0;
}

/* -- bringing ---------------------------------------------------------------------------------- */

/* Whether part INDEX is to be read of NODE. */
static bool is_missing(const struct cape_runtime *runtime, const struct cape_divided *entry,
		       unsigned index, unsigned node)
{
	const struct cape_divided_part *part = &entry->part[index];

	return !(part->here & cape_divided_bit(runtime->node)) && part->writer == node;
}

static bool has_missing(const struct cape_runtime *runtime, const struct cape_divided *entry,
			unsigned node, uint64_t start, uint64_t end)
{
	uint64_t from = entry->address, to;
	bool has = false;

	for (unsigned i = 0; i < entry->parts && !has && from < end; i++, from = to) {
		to = entry->address + entry->part[i].end;
		has = to > start && is_missing(runtime, entry, i, node);
	}
	return has;
}

/* What START .. END - 1 have of the page, and is NODE's. */
static void bring_parts(struct cape_runtime *runtime, struct cape_divided_reading *reading,
			struct cape_divided *entry, uint64_t start, uint64_t end)
{
	uint64_t from = entry->address, own = cape_divided_bit(runtime->node);

	for (unsigned i = 0; i < entry->parts; i++) {
		uint64_t to = entry->address + entry->part[i].end;

		if (from < end && to > start && is_missing(runtime, entry, i, reading->node)) {
			add(runtime, reading, from, to);
			/* Where writers send they know of no other copies. */
			if (!runtime->need->divided.sends) {
				cape_divided_add_here(runtime, entry, i, own);
				i = cape_divided_join_at(entry, i);
			}
		}
		from = entry->address + entry->part[i].end;
	}
}

/* Whether this node has written to the page, too. */
static bool writes_too(const struct cape_runtime *runtime, const struct cape_divided *entry)
{
	bool writes = false;

	for (unsigned i = 0; i < entry->parts; i++)
		writes |= entry->part[i].writer == runtime->node;
	return writes;
}

/*
 * The kernel looks up a page once for all of its parts, and what is beside a row of another node is
 * often read next.  If that node is about to change it, the copy is not valid after this loop.  Of
 * pages to which both write the next part will be another one.
 */
static void bring_with_others(struct cape_runtime *runtime, struct cape_divided_reading *reading,
			      struct cape_divided *entry, uint64_t start, uint64_t end)
{
	if (!has_missing(runtime, entry, reading->node, start, end))
		return;
	if (reading->alone || runtime->need->divided.sends || writes_too(runtime, entry))
		bring_parts(runtime, reading, entry, start, end);
	else
		bring_parts(runtime, reading, entry, entry->address, entry->address + CAPE_PAGE);
}

static void bring_visited(void *context, struct cape_area *area, uint64_t start, uint64_t end)
{
	struct cape_runtime *runtime = context;
	struct cape_divided_reading *reading = runtime->need->divided.reading;
	const struct cape_directory_page *page = cape_directory_page(area, start);
	struct cape_divided *entry;

	if (!page->agreed.holders)
		return;
	entry = cape_divided_find(runtime, page, start);
	if (!entry && !cape_directory_holds(runtime, page) && page->agreed.owner == reading->node)
		entry = cape_divided_get(runtime, area, start);
	if (entry)
		bring_with_others(runtime, reading, entry, start, end);
}

static void copy(struct cape_runtime *runtime, const struct cape_range *range, size_t count,
		 bool alone)
{
	struct cape_divided_reading *reading = reading_of(runtime);

	cape_divided_open(runtime, range, count);
	reading->alone = alone;
	for (unsigned node = 0; node < runtime->nodes; node++) {
		if (node == runtime->node)
			continue;
		reading->node = node;
		for (size_t i = 0; i < count; i++)
			each_page(runtime, range[i], bring_visited, runtime);
		read_pieces(runtime, reading);
	}
}

void cape_divided_copy(struct cape_runtime *runtime, const struct cape_range *range, size_t count)
{
	copy(runtime, range, count, false);
}

static void cut_visited(void *context, struct cape_area *area, uint64_t start, uint64_t end)
{
	struct cape_runtime *runtime = context;
	const struct cape_directory_page *page = cape_directory_page(area, start);
	struct cape_divided *entry = cape_divided_find(runtime, page, start);

	if (!entry && page->agreed.holders && !cape_directory_holds(runtime, page))
		entry = cape_divided_get(runtime, area, start);
	if (entry)
		cape_divided_cut(runtime, entry, start, end);
}

static void join_visited(void *context, struct cape_area *area, uint64_t start, uint64_t end)
{
	struct cape_divided *entry =
		cape_divided_find(context, cape_directory_page(area, start), start);

	(void)end;
	if (entry)
		cape_divided_join(entry);
}

void cape_divided_copy_alone(struct cape_runtime *runtime, struct cape_range range)
{
	each_page(runtime, range, cut_visited, runtime);
	copy(runtime, &range, 1, true);
	each_page(runtime, range, join_visited, runtime);
}

void cape_divided_refresh(struct cape_runtime *runtime)
{
	const struct cape_ranges *opened = &runtime->need->divided.opened;

	cape_divided_copy(runtime, opened->range, opened->count);
}

/* -- the end ----------------------------------------------------------------------------------- */

static bool is_own(const struct cape_runtime *runtime, const struct cape_area *area,
		   uint64_t address)
{
	const struct cape_directory_page *page = cape_directory_page(area, address);

	return page->local.divided && page->agreed.owner == runtime->node;
}

/* Of PAGES, those that are divided and that this node owns. */
static int list_own(void *context, struct cape_area *area, struct cape_range pages)
{
	struct cape_runtime *runtime = context;

	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE)
		if (is_own(runtime, area, at))
			cape_ranges_add(runtime, &runtime->need->divided.home,
					(struct cape_range){at, at + CAPE_PAGE});
	return 0;
}

void cape_divided_copy_home_of(struct cape_runtime *runtime, struct cape_area *area,
			       struct cape_range pages)
{
	struct cape_ranges *home = &runtime->need->divided.home;

	home->count = 0;
	list_own(runtime, area, pages);
	cape_divided_copy(runtime, home->range, home->count);
}

void cape_divided_copy_home(struct cape_runtime *runtime)
{
	struct cape_ranges *home = &runtime->need->divided.home;

	if (!runtime->need->divided.count)
		return;
	home->count = 0;
	cape_directory_each(runtime, CAPE_PAGES_SHUT, list_own, runtime);
	cape_divided_copy(runtime, home->range, home->count);
}
