// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * checkpointer.c - lock, save, registers.
 */
#include "checkpointer.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include "common/clock.h"
#include "trace.h"

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

static int lock(struct trace *trace, struct trace_thread *thread)
{
	trace->node->channel->statistics.locks++;
	capture_reset(&trace->capture);
	return trace->node->options.checkpointer->lock(trace, thread);
}

static int save(struct trace *trace, struct trace_thread *thread)
{
	int error = trace->node->options.checkpointer->save(trace, thread);

	capture_finish(&trace->capture);
	trace->node->channel->statistics.pages_captured += trace->capture.pages;
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
