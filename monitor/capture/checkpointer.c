// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * checkpointer.c - lock, save, registers.
 */
#include "checkpointer.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include "base/clock.h"

/* Linux leaves the last page below 2^47 unused. */
#define MEMORY_END ((1ull << 47) - CAPTURE_PAGE)

/* All of the program's memory but the run time's own. */
static const struct cape_channel_range everything[] = {
	{CAPTURE_PAGE, CAPE_CHANNEL_ADDRESS},
	{CAPE_PRIVATE_END, MEMORY_END},
};

int checkpointer_start(struct trace *trace)
{
	trace->protection = trace->node->options.protection;
	return trace->protection ? trace->protection->start(trace) : 0;
}

static int take_set(const struct trace *trace, const struct trace_thread *thread, int type)
{
	struct cape_channel *channel = trace->node->channel;
	uint64_t used = channel->capture.registers_size;
	struct iovec to = {(char *)channel + CAPE_CHANNEL_REGISTERS + used,
			   CAPE_REGISTERS_LIMIT - used};

	if (ptrace(PTRACE_GETREGSET, thread->id, (void *)(uintptr_t)type, &to) < 0)
		return -errno;
	channel->capture.registers_size += to.iov_len;
	return 0;
}

/* General registers, then the floating-point and vector state as XSAVE lays it out. */
static int take_registers(const struct trace *trace, const struct trace_thread *thread)
{
	int error;

	trace->node->channel->capture.registers_size = 0;
	error = take_set(trace, thread, NT_PRSTATUS);
	if (!error)
		error = take_set(trace, thread, NT_X86_XSTATE);
	trace->node->channel->statistics.registers_bytes +=
		trace->node->channel->capture.registers_size;
	return error;
}

/* complete: all that exists of the program's writable memory. */
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

static int lock(struct trace *trace, struct trace_thread *thread)
{
	struct cape_channel *channel = trace->node->channel;
	const struct cape_channel_range *range = everything;
	size_t count = sizeof(everything) / sizeof(everything[0]);

	channel->statistics.locks++;
	capture_reset(&trace->capture);
	if (!trace->protection)
		return take_all(trace, false);
	if (!cape_method_takes_all(channel->method)) {
		range = cape_channel_ranges(channel);
		count = channel->capture.range_count;
		if (count > CAPE_RANGES_LIMIT)
			return -EPROTO;
	}
	pin(trace);
	return trace->protection->lock(trace, thread, range, count);
}

static int save(struct trace *trace, struct trace_thread *thread)
{
	struct cape_channel_statistics *statistics = &trace->node->channel->statistics;
	int error;

	if (trace->protection) {
		error = trace->protection->unlock(trace, thread);
		unpin(trace);
	} else {
		error = take_all(trace, true);
		if (!error)
			error = capture_image(&trace->capture);
		statistics->complete_bytes += trace->capture.image_used;
	}
	capture_finish(&trace->capture);
	statistics->pages_captured += trace->capture.pages;
	return error ? error : take_registers(trace, thread);
}

void checkpointer_serve(struct trace *trace, struct trace_thread *thread)
{
	struct node *node = trace->node;
	uint64_t started = clock_now();
	uint32_t request = node->channel->capture.request;
	int error = -EPROTO;

	node_follow_program(node);
	trace_stop_others(trace, thread);
	if (request == CAPE_REQUEST_LOCK)
		error = lock(trace, thread);
	else if (request == CAPE_REQUEST_SAVE)
		error = save(trace, thread);
	else if (request == CAPE_REQUEST_REGISTERS)
		error = take_registers(trace, thread);
	trace_continue_others(trace, thread);
	node->channel->statistics.capture_time += clock_now() - started;
	if (error && !trace->ended)
		node_fail(node, 1, "node %d: cannot %s the program's memory: %s", node->rank,
			  request == CAPE_REQUEST_LOCK ? "lock" : "save", strerror(-error));
}
