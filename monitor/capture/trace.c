// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace.c - the ptrace life cycle: what each stop of the program means.
 *
 * Threads are traced from their first instruction on.  Children with memory of their own are let
 * go as soon as their memory is unlocked; those that use the program's are traced like its threads
 * until they execute something else.
 */
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agent.h"
#include "checkpointer.h"
#include "common/clock.h"

#ifndef SYS_USER_DISPATCH
#define SYS_USER_DISPATCH 2
#endif

static struct trace_thread *find(struct trace *trace, pid_t id)
{
	for (unsigned i = 0; i < CAPE_AGENT_SLOTS; i++)
		if (trace->thread[i] && trace->thread[i]->id == id)
			return trace->thread[i];
	return NULL;
}

static struct trace_thread *add(struct trace *trace, pid_t id)
{
	for (unsigned i = 0; i < CAPE_AGENT_SLOTS; i++) {
		struct trace_thread *thread;

		if (trace->thread[i])
			continue;
		thread = calloc(1, sizeof(*thread));
		if (!thread)
			break;
		thread->id = id;
		thread->slot = i;
		trace->thread[i] = thread;
		return thread;
	}
	node_fail(trace->node, 1, "node %d: the program has more than %d threads",
		  trace->node->rank, CAPE_AGENT_SLOTS);
	return NULL;
}

static void forget(struct trace *trace, struct trace_thread *thread)
{
	trace->thread[thread->slot] = NULL;
	free(thread);
}

void trace_ended(struct trace *trace, struct trace_thread *thread, int status)
{
	if (thread->id == trace->program) {
		trace->ended = true;
		trace->end_status = status;
	}
	/* Freed when its callers are done with it. */
	thread->id = 0;
}

static void sweep(struct trace *trace)
{
	for (unsigned i = 0; i < CAPE_AGENT_SLOTS; i++)
		if (trace->thread[i] && !trace->thread[i]->id)
			forget(trace, trace->thread[i]);
}

void trace_continue(struct trace *trace, struct trace_thread *thread, int signal)
{
	(void)trace;
	ptrace(thread->passing ? PTRACE_SYSCALL : PTRACE_CONT, thread->id, NULL,
	       (void *)(uintptr_t)signal);
}

void trace_stop_others(struct trace *trace, const struct trace_thread *thread)
{
	for (unsigned i = 0; i < CAPE_AGENT_SLOTS; i++) {
		struct trace_thread *other = trace->thread[i];
		int status;

		/* What waits in vfork() cannot stop before its child has gone, which may be
		   stopped here. */
		if (!other || other == thread || !other->started || other->has_status ||
		    other->in_vfork)
			continue;
		if (ptrace(PTRACE_INTERRUPT, other->id, NULL, NULL) < 0 ||
		    waitpid(other->id, &status, __WALL) < 0)
			continue;
		if (!WIFSTOPPED(status)) {
			trace_ended(trace, other, status);
			continue;
		}
		other->has_status = true;
		other->status = status;
	}
}

static void handle_stop(struct trace *trace, struct trace_thread *thread, int status);

void trace_continue_others(struct trace *trace, const struct trace_thread *thread)
{
	for (unsigned i = 0; i < CAPE_AGENT_SLOTS; i++) {
		struct trace_thread *other = trace->thread[i];

		if (!other || other == thread || !other->has_status || !other->id)
			continue;
		other->has_status = false;
		handle_stop(trace, other, other->status);
	}
}

static void let_go(struct trace *trace, struct trace_thread *thread)
{
	if (trace->pinned)
		sched_setaffinity(thread->id, sizeof(trace->processors), &trace->processors);
	ptrace(PTRACE_DETACH, thread->id, NULL, NULL);
	forget(trace, thread);
}

/* A new thread or child has stopped, and it is known what it is. */
static void begin(struct trace *trace, struct trace_thread *thread, bool own_memory)
{
	thread->started = true;
	if (own_memory) {
		if (trace->locked && trace->protection && trace->protection->child_made)
			trace->protection->child_made(trace, thread);
		let_go(trace, thread);
		return;
	}
	if (trace->pinned)
		sched_setaffinity(thread->id, sizeof(trace->processors), &trace->processors);
	if (trace->protection && trace->protection->thread_made)
		trace->protection->thread_made(trace, thread);
	trace_continue(trace, thread, 0);
}

static bool is_thread_of(pid_t thread, pid_t process)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", process, thread);
	return access(path, F_OK) == 0;
}

/* Whether the child that THREAD has just made by clone() has memory of its own. */
static bool child_has_own_memory(const struct trace_thread *thread, int event)
{
	struct user_regs_struct registers;
	uint64_t flags = 0;

	if (event == PTRACE_EVENT_FORK)
		return true;
	if (ptrace(PTRACE_GETREGS, thread->id, NULL, &registers) < 0)
		return true;
	if (registers.orig_rax == SYS_vfork)
		return false;
	flags = registers.rdi;
	/* The first member of struct clone_args. */
	if (registers.orig_rax == SYS_clone3)
		flags = (uint64_t)ptrace(PTRACE_PEEKDATA, thread->id, registers.rdi, NULL);
	return !(flags & CLONE_VM);
}

static void made_child(struct trace *trace, struct trace_thread *thread, int event)
{
	unsigned long id;
	struct trace_thread *child;
	bool own_memory = child_has_own_memory(thread, event);
	int status;

	if (ptrace(PTRACE_GETEVENTMSG, thread->id, NULL, &id) < 0)
		return;
	child = find(trace, (pid_t)id);
	if (!child)
		child = add(trace, (pid_t)id);
	if (!child)
		return;
	/* It stops before it runs. */
	if (!child->new_stop && (waitpid(child->id, &status, __WALL) < 0 || !WIFSTOPPED(status))) {
		forget(trace, child);
		return;
	}
	child->new_stop = false;
	child->is_thread = is_thread_of(child->id, trace->program);
	begin(trace, child, own_memory);
}

/* The program has executed another one, which knows nothing of locked pages. */
static void executed(struct trace *trace, struct trace_thread *thread)
{
	if (thread->id == trace->program) {
		trace->locked = false;
		memset(cape_agent_slot(trace->node->channel, thread->slot), 0,
		       sizeof(struct cape_agent_slot));
		for (unsigned i = 0; i < CAPE_AGENT_SLOTS; i++)
			if (trace->thread[i] && trace->thread[i] != thread &&
			    trace->thread[i]->is_thread)
				trace->thread[i]->id = 0;
	}
	if (trace->pinned) {
		sched_setaffinity(thread->id, sizeof(trace->processors), &trace->processors);
		trace->pinned = trace->pinned && thread->id != trace->program;
	}
	ptrace(PTRACE_DETACH, thread->id, NULL, NULL);
	/* Of the program itself, waitpid() still returns the end. */
	if (thread->id != trace->program)
		thread->id = 0;
}

static bool is_job_control(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static void handle_event(struct trace *trace, struct trace_thread *thread, int event, int signal)
{
	switch (event) {
	case PTRACE_EVENT_STOP:
		if (is_job_control(signal)) {
			ptrace(PTRACE_LISTEN, thread->id, NULL, NULL);
			return;
		}
		break;
	case PTRACE_EVENT_VFORK_DONE:
		thread->in_vfork = false;
		break;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		thread->in_vfork = event == PTRACE_EVENT_VFORK &&
				   ptrace(PTRACE_GETREGS, thread->id, NULL, &thread->saved) == 0;
		made_child(trace, thread, event);
		break;
	case PTRACE_EVENT_EXEC:
		executed(trace, thread);
		return;
	}
	trace_continue(trace, thread, 0);
}

static void deliver(struct trace *trace, struct trace_thread *thread, const siginfo_t *info)
{
	if (trace->locked && trace->protection && trace->protection->before_handler)
		trace->protection->before_handler(trace, thread, info);
	ptrace(PTRACE_SETSIGINFO, thread->id, NULL, info);
	trace_continue(trace, thread, info->si_signo);
}

/* The program traps to ask for something. */
static bool is_request(const struct trace *trace, const struct trace_thread *thread)
{
	struct user_regs_struct registers;

	return thread->id == trace->program && trace->node->channel->agent.request &&
	       ptrace(PTRACE_GETREGS, thread->id, NULL, &registers) == 0 &&
	       registers.rip == trace->node->channel->agent.request + 1;
}

/* Whether the fault was that of a locked page. */
static bool capture(struct trace *trace, struct trace_thread *thread, const siginfo_t *info)
{
	uint64_t started = clock_now();
	enum protect_fault what = trace->protection->fault(trace, thread, info);

	trace->node->channel->statistics.capture_time += clock_now() - started;
	return what != PROTECT_GENUINE;
}

/* The agent's work comes before any handler, whose frame may need it.  What stops it only waits. */
static bool finish_agent(struct trace *trace, struct trace_thread *thread, int signal)
{
	int error = signal == SIGSTOP ? 0 : agent_leave(trace, thread);

	if (error && thread->id)
		node_fail(trace->node, 1, "node %d: cannot open memory at a signal: %s",
			  trace->node->rank, strerror(-error));
	return !error;
}

static void handle_signal(struct trace *trace, struct trace_thread *thread, int signal)
{
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, thread->id, NULL, &info) < 0 ||
	    !finish_agent(trace, thread, signal))
		return;
	if (signal == SIGTRAP && is_request(trace, thread)) {
		checkpointer_serve(trace, thread);
		if (thread->id)
			trace_continue(trace, thread, 0);
		return;
	}
	if (signal == SIGSEGV && trace->locked && trace->protection &&
	    capture(trace, thread, &info))
		return;
	if (signal == SIGSYS && info.si_code == SYS_USER_DISPATCH && trace->protection &&
	    trace->protection->system_call && trace->protection->system_call(trace, thread))
		return;
	deliver(trace, thread, &info);
}

static void handle_stop(struct trace *trace, struct trace_thread *thread, int status)
{
	int event = status >> 16, signal = WSTOPSIG(status);

	if (event) {
		handle_event(trace, thread, event, signal);
		return;
	}
	if (signal == (SIGTRAP | 0x80)) {
		if (thread->passing && trace->protection && trace->protection->system_call_passed)
			trace->protection->system_call_passed(trace, thread);
		if (thread->id)
			trace_continue(trace, thread, 0);
		return;
	}
	handle_signal(trace, thread, signal);
}

static void handle(struct trace *trace, pid_t id, int status)
{
	struct trace_thread *thread = find(trace, id);

	if (!WIFSTOPPED(status)) {
		if (thread)
			trace_ended(trace, thread, status);
		return;
	}
	if (!thread) {
		/* Its parent's stop shows what it is. */
		thread = add(trace, id);
		if (thread)
			thread->new_stop = true;
		return;
	}
	handle_stop(trace, thread, status);
}

void trace_look(struct node *node)
{
	struct trace *trace = node->trace;
	int status;
	pid_t id;

	while (!trace->ended && !node->failed &&
	       (id = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
		handle(trace, id, status);
		sweep(trace);
	}
}

int trace_start(struct node *node)
{
	struct trace *trace = calloc(1, sizeof(*trace));
	struct trace_thread *thread;
	int error;

	if (!trace)
		return -ENOMEM;
	node->trace = trace;
	trace->node = node;
	trace->program = node->program;
	error = capture_start(&trace->capture, node->channel, node->program);
	if (error)
		return error;
	thread = add(trace, node->program);
	if (!thread)
		return -ENOMEM;
	thread->started = thread->is_thread = true;
	error = checkpointer_start(trace);
	if (error)
		return error;
	return ptrace(PTRACE_CONT, node->program, NULL, NULL) < 0 ? -errno : 0;
}

void trace_stop(struct node *node)
{
	struct trace *trace = node->trace;

	if (!trace)
		return;
	if (trace->protection)
		trace->protection->stop(trace);
	for (unsigned i = 0; i < CAPE_AGENT_SLOTS; i++)
		free(trace->thread[i]);
	capture_stop(&trace->capture);
	free(trace);
	node->trace = NULL;
}
