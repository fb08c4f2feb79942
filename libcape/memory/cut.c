/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cut.c - cutting the runs of a checkpoint down to shared memory.
 */
#include "memory/cut.h"

#include "channel/capture.h"
#include "memory/shared.h"
#include "base/context.h"

CAPE_PART(cut, NULL);

#define RANGES_LIMIT (1ull << 24)

struct list_context {
	struct cape_runtime *runtime;
	struct cape_cut_list *list;
};

static int add(void *context, struct cape_area *area, struct cape_range range)
{
	struct list_context *to = context;
	struct cape_cut_list *list = to->list;
	struct cape_range *last = list->range + list->count - 1;

	(void)area;
	if (list->count > 0 && range.start < last->end) {
		if (range.end > last->end)
			last->end = range.end;
		return 0;
	}
	if (list->count == RANGES_LIMIT / sizeof(range))
		cape_fail(to->runtime, 0, "shared memory is in too many pieces");
	list->range[list->count++] = range;
	return 0;
}

static void update(struct cape_runtime *runtime, struct cape_cut_list *list, bool all)
{
	struct list_context context = {runtime, list};

	if (!list->range)
		list->range = cape_private_reserve(&runtime->private, RANGES_LIMIT);
	if (!list->range)
		cape_fail(runtime, 0, "no address space for the list of shared memory");
	list->count = 0;
	/* Other nodes' arenas may have grown. */
	cape_shared_each_possible(runtime, all, add, &context);
}

void cape_cut_update(struct cape_runtime *runtime)
{
	runtime->cut->active = cape_method_takes_all(runtime->channel->method);
	if (!runtime->cut->active)
		return;
	update(runtime, &runtime->cut->shared, false);
	update(runtime, &runtime->cut->all, true);
}

void cape_cutter_open(struct cape_cutter *cutter, const struct cape_cut *cut, bool all)
{
	*cutter = (struct cape_cutter){.list = NULL};
	if (cut->active)
		cutter->list = all ? &cut->all : &cut->shared;
}

/* The next part of REST that lies in shared memory; false: none does. */
static bool next_part(struct cape_cutter *cutter, struct cape_run *part, const unsigned char **data)
{
	struct cape_run *rest = &cutter->rest;
	uint64_t end = rest->address + rest->length, start = rest->address;
	const struct cape_range *range;

	while (cutter->next < cutter->list->count && cutter->list->range[cutter->next].end <= start)
		cutter->next++;
	range = &cutter->list->range[cutter->next];
	if (!rest->length || cutter->next == cutter->list->count || range->start >= end)
		return false;
	if (range->start > start)
		start = range->start;
	*data = cutter->data + (start - rest->address);
	*part = (struct cape_run){start, (end < range->end ? end : range->end) - start};
	cutter->data = *data + part->length;
	*rest = (struct cape_run){start + part->length, end - start - part->length};
	return true;
}

int cape_cutter_next(struct cape_cutter *cutter, struct cape_cursor *cursor, struct cape_run *run,
		     const unsigned char **data)
{
	int got;

	if (!cutter->list)
		return cape_cursor_next(cursor, run, data);
	while (!next_part(cutter, run, data)) {
		got = cape_cursor_next(cursor, &cutter->rest, &cutter->data);
		if (got <= 0)
			return got;
	}
	return 1;
}
