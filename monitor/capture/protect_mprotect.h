/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protect_mprotect.h - what protect_mprotect.c does with locked memory, for system_call.c.
 */
#ifndef CAPE_PROTECT_MPROTECT_H
#define CAPE_PROTECT_MPROTECT_H

#include "locked.h"
#include "trace.h"

/* Captures the pages from START to END, and adds calls that unlock them to the list of THREAD. */
int locked_open(struct trace *trace, struct trace_thread *thread, uint64_t start, uint64_t end);

/* The same for much memory, at once; FORGET: it is not to be locked or unlocked any more. */
int locked_open_range(struct trace *trace, struct trace_thread *thread, uint64_t start,
		      uint64_t end, bool forget);

/* [START, END) was mapped while memory was locked. */
int locked_add_fresh(struct trace *trace, uint64_t start, uint64_t end);

/*
 * The program's own actions for SIGSEGV and SIGSYS: put them back, a FORCED signal being about to
 * be delivered; ask for them anew.
 */
int locked_restore_actions(struct trace *trace, struct trace_thread *thread, bool forced);
int locked_query_actions(struct trace *trace, struct trace_thread *thread);

/* system_call.c, as struct protection wants them. */
bool system_call_stop(struct trace *trace, struct trace_thread *thread);
void system_call_passed(struct trace *trace, struct trace_thread *thread);
void system_call_before_handler(struct trace *trace, struct trace_thread *thread,
				const siginfo_t *info);

#endif
