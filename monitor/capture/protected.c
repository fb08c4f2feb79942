// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * protected.c - locking and saving by the protection that was chosen, on one processor.
 */
#include "protected.h"

/*
 * The program and its monitor take turns: on one processor they need not wake another one up.  The
 * program must not be moved away meanwhile.
 */
static void pin(struct trace *trace)
{
	struct node *node = trace->node;
	uint32_t processor = node->channel->processor;
	cpu_set_t one;

	if (processor >= CPU_SETSIZE ||
	    sched_getaffinity(trace->program, sizeof(trace->processors), &trace->processors) < 0 ||
	    CPU_COUNT(&trace->processors) == 1)
		return;
	CPU_ZERO(&one);
	CPU_SET(processor, &one);
	trace->pinned = sched_setaffinity(trace->program, sizeof(one), &one) == 0;
}

static void unpin(struct trace *trace)
{
	if (trace->pinned)
		sched_setaffinity(trace->program, sizeof(trace->processors), &trace->processors);
	trace->pinned = false;
}

int protected_lock(struct trace *trace, struct trace_thread *thread, const struct cape_range *range,
		   size_t count)
{
	pin(trace);
	return trace->protection->lock(trace, thread, range, count);
}

int protected_save(struct trace *trace, struct trace_thread *thread)
{
	int error = trace->protection->unlock(trace, thread);

	unpin(trace);
	return error;
}
