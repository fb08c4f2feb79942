// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tickpt1.c - method tickpt1: shared memory, which the program lists, is protected.
 */
#include <errno.h>
#include "checkpointer.h"
#include "protected.h"
#include "trace.h"

static int lock(struct trace *trace, struct trace_thread *thread)
{
	struct cape_channel *channel = trace->node->channel;
	uint64_t count = channel->capture.range_count;

	if (count > CAPE_RANGES_LIMIT)
		return -EPROTO;
	return protected_lock(trace, thread, cape_channel_ranges(channel), count);
}

const struct checkpointer checkpointer_tickpt1 = {
	.protects = true,
	.lock = lock,
	.save = protected_save,
};
