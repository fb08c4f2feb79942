// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * complete.c - method complete: an image of all memory that the program can write, at the lock and
 * at the save.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include "checkpointer.h"
#include "trace.h"

/* All that exists of the program's writable memory. */
static int take_all(struct trace *trace, bool fresh)
{
	struct mappings mappings = {.list = NULL};
	int error = mappings_read(&mappings, trace->program);

	for (size_t i = 0; i < mappings.count && !error; i++) {
		const struct mapping *mapping = &mappings.list[i];

		if (!mapping->private || !(mapping->prot & PROT_WRITE) ||
		    (mapping->start >= CAPE_CHANNEL_ADDRESS && mapping->start < CAPE_PRIVATE_END))
			continue;
		if (fresh && mapping->anonymous)
			error = capture_fresh(&trace->capture, mapping->start, mapping->end);
		else if (!fresh && !mapping->anonymous)
			error = capture_range(&trace->capture, mapping->start, mapping->end, false);
		else if (!fresh)
			error = capture_existing(&trace->capture, mapping->start, mapping->end);
	}
	if (!error && fresh)
		error = capture_drop_unmapped(&trace->capture, &mappings);
	mappings_free(&mappings);
	return error;
}

static int lock(struct trace *trace, struct trace_thread *thread)
{
	(void)thread;
	return take_all(trace, false);
}

static int save(struct trace *trace, struct trace_thread *thread)
{
	int error = take_all(trace, true);

	(void)thread;
	if (!error)
		error = capture_image(&trace->capture);
	trace->node->channel->statistics.complete_bytes += trace->capture.image_used;
	return error;
}

const struct checkpointer checkpointer_complete = {.lock = lock, .save = save};
