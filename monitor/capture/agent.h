/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent.h - making a stopped thread carry out system calls (libcape/memory/agent.c).
 */
#ifndef CAPE_NODE_AGENT_H
#define CAPE_NODE_AGENT_H

#include "trace.h"

/*
 * Adds a call to the list of THREAD; a list that is full is carried out first.  Returns the call,
 * whose result is there after agent_run(), or NULL when that failed.
 */
struct cape_agent_call *agent_add(struct trace *trace, struct trace_thread *thread, long number,
				  uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/* Has the list carried out and waits; registers are as before.  0 or -errno. */
int agent_run(struct trace *trace, struct trace_thread *thread);

/* The same for a thread that then goes on by itself. */
int agent_resume(struct trace *trace, struct trace_thread *thread);

/* An address in the program's view of the slot of THREAD. */
uint64_t agent_address(const struct trace *trace, const struct trace_thread *thread,
		       const void *in_slot);

struct cape_agent_slot *agent_slot(const struct trace *trace, const struct trace_thread *thread);

/*
 * A stop came while the thread was in the agent, perhaps: the agent's work is done, and the thread
 * stands where it was before.  0 or -errno; thread->id is 0 if the thread has ended.
 */
int agent_leave(struct trace *trace, struct trace_thread *thread);

#endif
