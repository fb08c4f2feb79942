/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * agent.c - code that the monitor makes the program run: system calls that only the process itself
 * can make, such as mprotect(), any number of them between two stops.
 *
 * It uses no stack of the program's: the monitor has rsp point to a frame in the channel, from
 * which all that was changed is put back at the end, rsp and rip last of all (iretq).  So a page
 * fault costs one stop: the monitor copies the page and sends the program here, and the agent
 * unlocks the page and goes back to the instruction that wrote.
 *
 * System calls of the program itself stop for the monitor while memory is locked, by Linux's
 * Syscall User Dispatch; those made in the agent do not.
 */
#include "memory/agent.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "channel/capture.h"
#include "system/libc.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON	     1
#endif

extern const char cape_agent_trap[], cape_agent_run[], cape_agent_stop[], cape_agent_end[];

_Static_assert(sizeof(struct cape_agent_call) == 64, "the agent's step");
_Static_assert(offsetof(struct cape_agent_frame, rip) == 80, "what the agent pops");

/* r12: the list of calls; rsp: the frame. */
__asm__(".text\n"
	".globl cape_agent_trap, cape_agent_run, cape_agent_stop, cape_agent_end\n"
	".hidden cape_agent_trap, cape_agent_run, cape_agent_stop, cape_agent_end\n"
	"cape_agent_trap:\n\t"
	"int3\n\t"
	"ret\n"
	"cape_agent_run:\n\t"
	"mov (%r12), %rax\n\t"
	"test %rax, %rax\n\t"
	"js 1f\n\t"
	"mov 8(%r12), %rdi\n\t"
	"mov 16(%r12), %rsi\n\t"
	"mov 24(%r12), %rdx\n\t"
	"mov 32(%r12), %r10\n\t"
	"mov 40(%r12), %r8\n\t"
	"mov 48(%r12), %r9\n\t"
	"syscall\n\t"
	"mov %rax, 56(%r12)\n\t"
	"add $64, %r12\n\t"
	"jmp cape_agent_run\n"
	"1:\n\t"
	"pop %rax\n\t"
	"pop %rcx\n\t"
	"pop %rdx\n\t"
	"pop %rsi\n\t"
	"pop %rdi\n\t"
	"pop %r8\n\t"
	"pop %r9\n\t"
	"pop %r10\n\t"
	"pop %r11\n\t"
	"pop %r12\n\t"
	"iretq\n"
	"cape_agent_stop:\n\t"
	"int3\n"
	"cape_agent_end:\n");

int cape_agent_start(struct cape_channel *channel)
{
	struct cape_agent_slot *slot = cape_agent_slot(channel, 0);

	channel->agent = (struct cape_channel_agent){
		.request = (uint64_t)(uintptr_t)cape_agent_trap,
		.start = (uint64_t)(uintptr_t)cape_agent_run,
		.stop = (uint64_t)(uintptr_t)cape_agent_stop,
		.end = (uint64_t)(uintptr_t)cape_agent_end,
	};
	if (syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
		    channel->agent.start, channel->agent.end - channel->agent.start,
		    &slot->selector) < 0)
		return -errno;
	return 0;
}

void cape_agent_request(struct cape_channel *channel, enum cape_channel_request request)
{
	channel->processor = (uint32_t)sched_getcpu();
	channel->capture.request = request;
	__asm__ volatile("call cape_agent_trap" ::: "memory");
}
