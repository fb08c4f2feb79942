/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - the monitor as ptracer of its program: its threads, its stops, its end.
 *
 * Only for the methods that capture pages; otherwise the program runs untraced.
 */
#ifndef CAPE_TRACE_H
#define CAPE_TRACE_H

#include <sched.h>
#include <signal.h>
#include <sys/user.h>
#include "capture.h"
#include "mappings.h"
#include "base/node.h"
#include "protect.h"

/* A thread of the program, or a child that uses its memory (vfork). */
struct trace_thread {
	pid_t id;
	unsigned slot;		       /* in the channel, struct cape_agent_slot */
	unsigned calls;		       /* that wait in the slot */
	bool is_thread;		       /* of the program itself */
	bool started;		       /* it has run since it was made */
	bool new_stop;		       /* made, and has stopped before it is known what it is */
	bool passing;		       /* a system call is let through */
	bool entered;		       /* and has begun */
	unsigned tries;		       /* how often it has failed and was made again */
	bool in_vfork;		       /* waits for its child, and then stops before it goes on */
	bool in_agent;		       /* runs the agent, and goes back to SAVED by itself */
	bool has_status;	       /* STATUS is yet to be looked at */
	int status;		       /* a stop that came while something else was waited for */
	uint64_t fault;		       /* page of the last fault */
	unsigned fault_again;	       /* how often it came in a row */
	struct user_regs_struct saved; /* while in_agent or in_vfork */
};

struct trace {
	struct node *node;
	pid_t program;
	struct trace_thread *thread[CAPE_AGENT_SLOTS]; /* by slot; NULL: free */
	struct capture capture;
	const struct protection *protection;
	void *protect; /* the protection's own */
	bool locked;
	bool pinned;
	cpu_set_t processors; /* the program's own, while it is pinned */
	bool ended;
	int end_status; /* as waitpid() gives it */
};

/*
 * Takes over the program, which has been seized and stands at its first instruction; lets it go
 * on.  0 or -errno.
 */
int trace_start(struct node *node);
void trace_stop(struct node *node);

/* Deals with all stops that have come. */
void trace_look(struct node *node);

/* Lets a stopped thread go on; with a signal, or 0. */
void trace_continue(struct trace *trace, struct trace_thread *thread, int signal);

/* A thread has ended while something else was waited for. */
void trace_ended(struct trace *trace, struct trace_thread *thread, int status);

/* Stops all threads but THREAD, or lets them go on again. */
void trace_stop_others(struct trace *trace, const struct trace_thread *thread);
void trace_continue_others(struct trace *trace, const struct trace_thread *thread);

#endif
