// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * protect_mprotect.c - page protection from user space: mprotect() in the program's name.
 *
 * Memory that is locked is read-only for the kernel, too, when it acts for the program, so
 * system calls stop before they are made (system_call.c), and what the kernel writes by itself, in
 * each thread's control block, is captured at once and never locked.
 */
#include "protect_mprotect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "agent.h"
#include "common/list.h"
#include "system/ranges.h"

/* Bytes from the thread pointer on that the kernel writes to: glibc's struct pthread. */
#define CONTROL_BLOCK 4096

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON	     1
#endif

/* Where in a slot's scratch the program's actions for the signals are that mean something here. */
#define SCRATCH_SEGV 0
#define SCRATCH_SYS  32

static uint64_t page_of(uint64_t address)
{
	return address & -CAPTURE_PAGE;
}

/* Adds a call that makes [START, END) what PROT says to the list of THREAD. */
static int add_mprotect(struct trace *trace, struct trace_thread *thread, uint64_t start,
			uint64_t end, int prot)
{
	return agent_add(trace, thread, SYS_mprotect, start, end - start, (uint64_t)prot, 0)
		       ? 0
		       : -ESRCH;
}

static int start(struct trace *trace)
{
	trace->protect = calloc(1, sizeof(struct locked));
	return trace->protect ? 0 : -ENOMEM;
}

static void stop(struct trace *trace)
{
	struct locked *locked = trace->protect;

	if (!locked)
		return;
	free(locked->range);
	free(locked->fresh);
	mappings_free(&locked->mappings);
	free(locked);
	trace->protect = NULL;
}

/* A thread's control block: the kernel writes to it whenever it likes (rseq, the thread's end). */
static int open_control_block(struct trace *trace, struct trace_thread *thread, bool is_locked)
{
	struct user_regs_struct registers;
	uint64_t page;
	int error = 0;

	if (thread->in_vfork) /* it does not stand still, and does nothing either */
		registers = thread->saved;
	else if (ptrace(PTRACE_GETREGS, thread->id, NULL, &registers) < 0)
		return -errno;
	page = page_of(registers.fs_base);
	for (; !error && page < registers.fs_base + CONTROL_BLOCK; page += CAPTURE_PAGE) {
		const struct locked_range *range = locked_find(trace->protect, page);

		if (!range)
			continue;
		if (is_locked)
			error = locked_open(trace, thread, page, page + CAPTURE_PAGE);
		else
			error = capture_page(&trace->capture, page, range->anonymous);
		if (!error && !is_locked)
			error = locked_remove(trace->protect, page, page + CAPTURE_PAGE);
	}
	return error;
}

static int open_control_blocks(struct trace *trace)
{
	int error = 0;

	for (unsigned i = 0; i < CAPE_AGENT_SLOTS && !error; i++)
		if (trace->thread[i] && trace->thread[i]->id && trace->thread[i]->started)
			error = open_control_block(trace, trace->thread[i], false);
	return error;
}

static void set_selectors(struct trace *trace, unsigned char value)
{
	for (unsigned i = 0; i < CAPE_AGENT_SLOTS; i++)
		if (trace->thread[i])
			agent_slot(trace, trace->thread[i])->selector = value;
}

/* Asks for the program's actions for the signals that stop it here: a stop may reset them. */
static int query_actions(struct trace *trace, struct trace_thread *thread)
{
	const struct cape_agent_slot *slot = agent_slot(trace, trace->thread[0]);
	uint64_t segv = agent_address(trace, thread, slot->scratch + SCRATCH_SEGV);
	uint64_t sys = agent_address(trace, thread, slot->scratch + SCRATCH_SYS);

	if (!agent_add(trace, thread, SYS_rt_sigaction, SIGSEGV, 0, segv, 8) ||
	    !agent_add(trace, thread, SYS_rt_sigaction, SIGSYS, 0, sys, 8))
		return -ESRCH;
	return 0;
}

static int restore_action(struct trace *trace, struct trace_thread *thread, int signal, int at,
			  bool forced)
{
	const struct cape_agent_slot *slot = agent_slot(trace, trace->thread[0]);
	uint64_t handler;

	memcpy(&handler, slot->scratch + at, sizeof(handler));
	/* A fault that is ignored kills. */
	if (handler == (uint64_t)(uintptr_t)SIG_DFL ||
	    (forced && handler == (uint64_t)(uintptr_t)SIG_IGN))
		return 0;
	if (!agent_add(trace, thread, SYS_rt_sigaction, signal,
		       agent_address(trace, thread, slot->scratch + at), 0, 8))
		return -ESRCH;
	return 0;
}

int locked_restore_actions(struct trace *trace, struct trace_thread *thread, bool forced)
{
	int error = restore_action(trace, thread, SIGSEGV, SCRATCH_SEGV, forced);

	return error ? error : restore_action(trace, thread, SIGSYS, SCRATCH_SYS, forced);
}

int locked_query_actions(struct trace *trace, struct trace_thread *thread)
{
	int error = query_actions(trace, thread);

	return error ? error : agent_run(trace, thread);
}

static int lock(struct trace *trace, struct trace_thread *thread, const struct cape_range *range,
		size_t count)
{
	struct locked *locked = trace->protect;
	int error = mappings_read(&locked->mappings, trace->program);

	locked->count = 0;
	locked->fresh_count = 0;
	locked->mappings_changed = false;
	locked->ahead = (struct ahead){.oldest = 0};
	if (!error)
		error = locked_add(locked, range, count);
	if (!error)
		error = open_control_blocks(trace);
	if (!error)
		error = query_actions(trace, thread);
	for (size_t i = 0; i < locked->count && !error; i++) {
		const struct locked_range *one = &locked->range[i];

		error = add_mprotect(trace, thread, one->start, one->end, one->prot & ~PROT_WRITE);
	}
	/* Each page may fault once more. */
	for (unsigned i = 0; i < CAPE_AGENT_SLOTS; i++)
		if (trace->thread[i])
			trace->thread[i]->fault = 0;
	trace->locked = true;
	if (!error)
		error = agent_run(trace, thread);
	set_selectors(trace, 1);
	return error;
}

/* Memory that did not exist when memory was locked: it began as zeros. */
int locked_add_fresh(struct trace *trace, uint64_t start, uint64_t end)
{
	struct locked *locked = trace->protect;
	struct cape_range *fresh;

	locked->mappings_changed = true;
	/* The run time's own. */
	if (start >= CAPE_CHANNEL_ADDRESS && start < CAPE_PRIVATE_END)
		return 0;
	fresh = list_room(locked->fresh, locked->fresh_count, &locked->fresh_capacity,
			  sizeof(*fresh));
	if (!fresh)
		return -ENOMEM;
	locked->fresh = fresh;
	locked->fresh[locked->fresh_count++] = (struct cape_range){start, end};
	return 0;
}

/* Captures what of RANGE is there now. */
static int take_fresh(struct trace *trace, const struct cape_range *range)
{
	const struct locked *locked = trace->protect;
	int error = 0;

	for (size_t i = 0; i < locked->mappings.count && !error; i++) {
		const struct mapping *mapping = &locked->mappings.list[i];

		if (mapping->start < range->end && mapping->end > range->start &&
		    mapping->private && mapping->anonymous && (mapping->prot & PROT_READ))
			error = capture_fresh(&trace->capture,
					      cape_greatest(mapping->start, range->start),
					      cape_least(mapping->end, range->end));
	}
	return error;
}

/* How far down mappings follow one another below the stack that was locked. */
static struct cape_range grown_part(const struct locked *locked, const struct locked_range *stack)
{
	uint64_t low = stack->start;

	for (size_t i = locked->mappings.count; i-- > 0;)
		if (locked->mappings.list[i].start < low && locked->mappings.list[i].end >= low)
			low = locked->mappings.list[i].start;
	return (struct cape_range){low, stack->start};
}

/* The program changed its mappings while they were locked. */
static int follow_mappings(struct trace *trace)
{
	struct locked *locked = trace->protect;
	int error = mappings_read(&locked->mappings, trace->program);

	for (size_t i = 0; i < locked->count && !error; i++) {
		if (locked->range[i].grown_to) {
			struct cape_range part = grown_part(locked, &locked->range[i]);

			error = take_fresh(trace, &part);
		}
	}

	if (!error)
		error = capture_drop_unmapped(&trace->capture, &locked->mappings);
	for (size_t i = 0; i < locked->fresh_count && !error; i++)
		error = take_fresh(trace, &locked->fresh[i]);
	return error;
}

/* Makes what is left of RANGE writable again. */
static int unlock_range(struct trace *trace, struct trace_thread *thread,
			const struct locked_range *range)
{
	const struct locked *locked = trace->protect;
	uint64_t at = range->start, end = range->end;
	const struct mapping *mapping;
	int error = 0;

	if (!locked->mappings_changed)
		return add_mprotect(trace, thread, at, end, range->prot);
	while (!error && at < end && (mapping = mappings_find(&locked->mappings, at)) &&
	       mapping->start < end) {
		uint64_t start = cape_greatest(at, mapping->start);

		at = cape_least(end, mapping->end);
		if (mapping->private)
			error = add_mprotect(trace, thread, start, at, range->prot);
	}
	return error;
}

static int unlock_all(struct trace *trace, struct trace_thread *thread)
{
	const struct locked *locked = trace->protect;
	int error = 0;

	for (size_t i = 0; i < locked->count && !error; i++)
		error = unlock_range(trace, thread, &locked->range[i]);
	if (!error)
		error = locked_restore_actions(trace, thread, false);
	return error ? error : agent_run(trace, thread);
}

static int unlock(struct trace *trace, struct trace_thread *thread)
{
	const struct locked *locked = trace->protect;
	int error = locked->mappings_changed ? follow_mappings(trace) : 0;

	if (!error)
		error = unlock_all(trace, thread);
	if (!error)
		error = capture_drop_unwritten(&trace->capture);
	set_selectors(trace, 0);
	trace->locked = false;
	return error;
}

int locked_open(struct trace *trace, struct trace_thread *thread, uint64_t start, uint64_t end)
{
	int error = 0;

	for (uint64_t page = page_of(start); page < end && !error; page += CAPTURE_PAGE) {
		const struct locked_range *range = locked_find(trace->protect, page);

		if (!range || capture_has(&trace->capture, page))
			continue;
		error = capture_page(&trace->capture, page, range->anonymous);
		if (!error)
			error = add_mprotect(trace, thread, page, page + CAPTURE_PAGE, range->prot);
	}
	return error;
}

int locked_open_range(struct trace *trace, struct trace_thread *thread, uint64_t start,
		      uint64_t end, bool forget)
{
	struct locked *locked = trace->protect;
	int error = 0;

	start = page_of(start);
	end = page_of(end + CAPTURE_PAGE - 1);
	for (size_t i = 0; i < locked->count && !error; i++) {
		const struct locked_range *range = &locked->range[i];
		uint64_t from = cape_greatest(start, range->start),
			 to = cape_least(end, range->end);

		if (from >= to)
			continue;
		error = capture_range(&trace->capture, from, to, range->anonymous);
		if (!error)
			error = add_mprotect(trace, thread, from, to, range->prot);
	}
	if (!error)
		error = agent_run(trace, thread);
	return error || !forget ? error : locked_remove(locked, start, end);
}

/* The kernel allows no more mappings: what is locked around the page is captured as a whole. */
static int open_mapping(struct trace *trace, struct trace_thread *thread, uint64_t page)
{
	struct mappings mappings = {.list = NULL};
	int error = mappings_read(&mappings, trace->program);
	const struct mapping *mapping = error ? NULL : mappings_find(&mappings, page);

	if (!mapping || mapping->start > page)
		error = error ? error : -EFAULT;
	else
		error = locked_open_range(trace, thread, mapping->start, mapping->end, false);
	mappings_free(&mappings);
	return error;
}

/* The page that is written to, and what will probably be written next. */
static int open_ahead(struct trace *trace, struct trace_thread *thread,
		      const struct locked_range *range, uint64_t page)
{
	struct locked *locked = trace->protect;
	uint64_t pages = ahead_pages(&locked->ahead, page);
	uint64_t end = cape_least(page + pages * CAPTURE_PAGE, range->end);
	int error = capture_ahead(&trace->capture, page, &end, range->anonymous);

	ahead_opened(&locked->ahead, page, end);
	return error ? error : add_mprotect(trace, thread, page, end, range->prot);
}

/* The page was captured, and yet it was written to again: why is it still locked? */
static int open_again(struct trace *trace, struct trace_thread *thread,
		      const struct locked_range *range, uint64_t page)
{
	struct cape_agent_call *call = agent_add(trace, thread, SYS_mprotect, page, CAPTURE_PAGE,
						 (uint64_t)range->prot, 0);
	int error = call ? agent_run(trace, thread) : -ESRCH;

	if (error)
		return error;
	if (call->result == -ENOMEM)
		return open_mapping(trace, thread, page);
	return (int)call->result;
}

/* The stack grows below what was locked; the new part takes on what the old one's lowest part
 * may do, and is made writable once for all. */
static int grow_stack(struct trace *trace, struct trace_thread *thread, uint64_t page,
		      struct locked_range *stack)
{
	struct locked *locked = trace->protect;
	uint64_t old = stack->grown_to ? stack->grown_to : stack->start;

	stack->grown_to = page;
	locked->mappings_changed = true;
	return add_mprotect(trace, thread, page, old, stack->prot);
}

/* The range of the stack if ADDRESS may lie in what it has grown by. */
static struct locked_range *grown_stack(struct trace *trace, uint64_t address)
{
	const struct locked *locked = trace->protect;

	for (size_t i = 0; i < locked->count; i++) {
		struct locked_range *range = &locked->range[i];
		uint64_t limit = i ? locked->range[i - 1].end : 0;

		if (range->stack && address >= limit &&
		    address < (range->grown_to ? range->grown_to : range->start))
			return range;
	}
	return NULL;
}

static enum protect_fault give_up(struct trace *trace, uint64_t page, int error)
{
	if (!trace->ended)
		node_fail(trace->node, 1, "node %d: cannot capture the page at %#llx: %s",
			  trace->node->rank, (unsigned long long)page, strerror(-error));
	return PROTECT_FAILED;
}

static enum protect_fault fault(struct trace *trace, struct trace_thread *thread,
				const siginfo_t *info)
{
	uint64_t page = page_of((uint64_t)(uintptr_t)info->si_addr);
	struct locked_range *range;
	int error;

	if (info->si_code != SEGV_ACCERR)
		return PROTECT_GENUINE;
	thread->fault_again = thread->fault == page ? thread->fault_again + 1 : 0;
	thread->fault = page;
	range = locked_find(trace->protect, page);
	if (!range) {
		range = grown_stack(trace, page);
		if (!range || thread->fault_again)
			return PROTECT_GENUINE;
		error = grow_stack(trace, thread, page, range);
	} else if (thread->fault_again > 1) {
		error = thread->fault_again > 8 ? -ELOOP : open_again(trace, thread, range, page);
	} else {
		error = open_ahead(trace, thread, range, page);
	}
	if (!error)
		error = agent_resume(trace, thread);
	return error ? give_up(trace, page, error) : PROTECT_CAPTURED;
}

static int thread_made(struct trace *trace, struct trace_thread *thread)
{
	const struct cape_channel_agent *agent = &trace->node->channel->agent;
	struct cape_agent_slot *slot = agent_slot(trace, thread);
	struct cape_agent_call *call;
	int error = 0;

	slot->selector = trace->locked;
	if (trace->locked)
		error = open_control_block(trace, thread, true);
	call = agent_add(trace, thread, SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
			 agent->start, agent->end - agent->start);
	if (!call)
		return -ESRCH;
	call->argument[4] = agent_address(trace, thread, &slot->selector);
	return error ? error : agent_run(trace, thread);
}

static void child_made(struct trace *trace, struct trace_thread *child)
{
	struct locked *locked = trace->protect;
	bool changed = locked->mappings_changed;

	/* What was captured is writable already, and what is unmapped does no harm. */
	for (size_t i = 0; i < locked->count; i++)
		add_mprotect(trace, child, locked->range[i].start, locked->range[i].end,
			     locked->range[i].prot);
	locked_restore_actions(trace, child, false);
	agent_run(trace, child);
	locked->mappings_changed = changed;
}

const struct protection protect_mprotect = {
	.name = "mprotect",
	.start = start,
	.stop = stop,
	.lock = lock,
	.unlock = unlock,
	.fault = fault,
	.thread_made = thread_made,
	.child_made = child_made,
	.system_call = system_call_stop,
	.system_call_passed = system_call_passed,
	.before_handler = system_call_before_handler,
};
