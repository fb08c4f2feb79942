// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * agent.c - system calls in the program's name.
 */
#include "agent.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

struct cape_agent_slot *agent_slot(const struct trace *trace, const struct trace_thread *thread)
{
	return cape_agent_slot(trace->node->channel, thread->slot);
}

uint64_t agent_address(const struct trace *trace, const struct trace_thread *thread,
		       const void *in_slot)
{
	(void)thread;
	return CAPE_CHANNEL_ADDRESS +
	       (uint64_t)((const char *)in_slot - (const char *)trace->node->channel);
}

struct cape_agent_call *agent_add(struct trace *trace, struct trace_thread *thread, long number,
				  uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	struct cape_agent_slot *slot = agent_slot(trace, thread);
	struct cape_agent_call *call;

	if (thread->calls == CAPE_AGENT_CALLS && agent_run(trace, thread) < 0)
		return NULL;
	call = &slot->call[thread->calls++];
	*call = (struct cape_agent_call){.number = number, .argument = {a, b, c, d}};
	slot->call[thread->calls].number = -1;
	return call;
}

/* Sends THREAD, whose registers are REGISTERS, into the agent. */
static int enter(struct trace *trace, struct trace_thread *thread,
		 const struct user_regs_struct *registers, uint64_t end)
{
	struct cape_agent_slot *slot = agent_slot(trace, thread);
	struct user_regs_struct there = *registers;

	slot->frame = (struct cape_agent_frame){
		.rax = registers->rax,
		.rcx = registers->rcx,
		.rdx = registers->rdx,
		.rsi = registers->rsi,
		.rdi = registers->rdi,
		.r8 = registers->r8,
		.r9 = registers->r9,
		.r10 = registers->r10,
		.r11 = registers->r11,
		.r12 = registers->r12,
		.rip = end,
		.cs = registers->cs,
		.rflags = registers->eflags,
		.rsp = registers->rsp,
		.ss = registers->ss,
	};
	there.rip = trace->node->channel->agent.start;
	there.r12 = agent_address(trace, thread, slot->call);
	there.rsp = agent_address(trace, thread, &slot->frame);
	/* Not in a system call: nothing is to be restarted. */
	there.orig_rax = (unsigned long long)-1;
	/* The direction flag and single steps are the program's. */
	there.eflags &= ~0x500ull;
	thread->calls = 0;
	return ptrace(PTRACE_SETREGS, thread->id, NULL, &there) < 0 ? -errno : 0;
}

/* Waits for the trap at the agent's end. */
static int await(struct trace *trace, struct trace_thread *thread)
{
	struct user_regs_struct registers;
	bool stopped = false;
	int status, signal = 0;

	for (;;) {
		if (ptrace(PTRACE_CONT, thread->id, NULL, (void *)(uintptr_t)signal) < 0)
			return -errno;
		if (waitpid(thread->id, &status, __WALL) < 0)
			return -errno;
		if (!WIFSTOPPED(status)) {
			trace_ended(trace, thread, status);
			return -ESRCH;
		}
		/* A group stop waits until the agent is done.  So does SIGSTOP, which nobody can
		   block: the kernel gets it back, and knows of a SIGCONT that has come since. */
		if (status >> 16 == PTRACE_EVENT_STOP || WSTOPSIG(status) == SIGSTOP) {
			signal = status >> 16 ? 0 : SIGSTOP;
			stopped = true;
			continue;
		}
		if (ptrace(PTRACE_GETREGS, thread->id, NULL, &registers) < 0)
			return -errno;
		if (WSTOPSIG(status) == SIGTRAP &&
		    registers.rip == trace->node->channel->agent.stop + 1)
			break;
		return -EPROTO;
	}
	/* The thread's next stop shows whether it is to stay stopped. */
	return stopped && ptrace(PTRACE_INTERRUPT, thread->id, NULL, NULL) < 0 ? -errno : 0;
}

/* Only what the agent itself brings about may stop it. */
static const uint64_t agent_signals = ~(1ull << (SIGTRAP - 1) | 1ull << (SIGSEGV - 1));

/* Makes the calls of the slot's list. */
static int run(struct trace *trace, struct trace_thread *thread)
{
	struct user_regs_struct registers;
	uint64_t blocked;
	int error;

	if (ptrace(PTRACE_GETREGS, thread->id, NULL, &registers) < 0 ||
	    ptrace(PTRACE_GETSIGMASK, thread->id, sizeof(blocked), &blocked) < 0 ||
	    ptrace(PTRACE_SETSIGMASK, thread->id, sizeof(blocked), &agent_signals) < 0)
		return -errno;
	error = enter(trace, thread, &registers, trace->node->channel->agent.stop);
	if (!error)
		error = await(trace, thread);
	if (error)
		return error;
	if (ptrace(PTRACE_SETREGS, thread->id, NULL, &registers) < 0 ||
	    ptrace(PTRACE_SETSIGMASK, thread->id, sizeof(blocked), &blocked) < 0)
		return -errno;
	return 0;
}

int agent_run(struct trace *trace, struct trace_thread *thread)
{
	return thread->calls ? run(trace, thread) : 0;
}

int agent_resume(struct trace *trace, struct trace_thread *thread)
{
	int error;

	if (ptrace(PTRACE_GETREGS, thread->id, NULL, &thread->saved) < 0)
		return -errno;
	error = enter(trace, thread, &thread->saved, thread->saved.rip);
	if (error)
		return error;
	thread->in_agent = true;
	return ptrace(PTRACE_CONT, thread->id, NULL, NULL) < 0 ? -errno : 0;
}

int agent_leave(struct trace *trace, struct trace_thread *thread)
{
	const struct cape_channel_agent *agent = &trace->node->channel->agent;
	struct user_regs_struct registers;

	if (!thread->in_agent)
		return 0;
	thread->in_agent = false;
	if (ptrace(PTRACE_GETREGS, thread->id, NULL, &registers) < 0)
		return -errno;
	if (registers.rip < agent->start || registers.rip >= agent->end)
		return 0;
	/* All over again, which does no harm: how far it has come does not matter then. */
	if (ptrace(PTRACE_SETREGS, thread->id, NULL, &thread->saved) < 0)
		return -errno;
	return run(trace, thread);
}
