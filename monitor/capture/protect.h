/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protect.h - protecting the program's memory, so that the first write to a page is reported: by
 * the driver /dev/cape, or by mprotect() calls that the program is made to carry out.
 */
#ifndef CAPE_PROTECT_H
#define CAPE_PROTECT_H

#include <signal.h>
#include <stdbool.h>
#include "channel/capture.h"
#include "common/protections.h"

struct trace;
struct trace_thread;

enum protect_fault {
	PROTECT_CAPTURED, /* the page is captured, and the thread goes on */
	PROTECT_GENUINE,  /* none of ours */
	PROTECT_FAILED,	  /* the run has failed */
};

/* A way to protect memory.  THREAD stands still in each of these. */
struct protection {
	const char *name;
	bool by_driver; /* every node needs /dev/cape */
	/* The program stands at its first instruction.  0 or -errno. */
	int (*start)(struct trace *trace);
	void (*stop)(struct trace *trace);
	/*
	 * Locks what is private and writable in COUNT ranges; all threads stand still.  0 or
	 * -errno.
	 */
	int (*lock)(struct trace *trace, struct trace_thread *thread,
		    const struct cape_range *range, size_t count);
	/* Unlocks all, and captures pages for which there was no fault.  0 or -errno. */
	int (*unlock)(struct trace *trace, struct trace_thread *thread);
	/* A SIGSEGV came while memory was locked. */
	enum protect_fault (*fault)(struct trace *trace, struct trace_thread *thread,
				    const siginfo_t *info);
	/* Below may be NULL: nothing to do. */
	/* A thread, or a child that uses the program's memory, was made.  0 or -errno. */
	int (*thread_made)(struct trace *trace, struct trace_thread *thread);
	/* A child with a copy of locked memory was made, and is about to be let go. */
	void (*child_made)(struct trace *trace, struct trace_thread *child);
	/* SIGSYS: a system call is about to be made. */
	bool (*system_call)(struct trace *trace, struct trace_thread *thread);
	/* A system call that was let through begins, or has ended. */
	void (*system_call_passed)(struct trace *trace, struct trace_thread *thread);
	/* The handler of INFO's signal is about to be called. */
	void (*before_handler)(struct trace *trace, struct trace_thread *thread,
			       const siginfo_t *info);
};

/*
 * driver and notify are the driver's two modes: it keeps the twins until they are collected (its
 * snapshot mode), or reports each page.
 */
#define PROTECTION_DECLARE(name) extern const struct protection protect_##name;
PROTECTIONS(PROTECTION_DECLARE)

#endif
