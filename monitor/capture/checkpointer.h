/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checkpointer.h - a method, as a monitor carries it out: START and SAVE of DICKPT (thesis 2.3.3).
 * One object for each that channel/methods.h lists, in a file of its name.
 */
#ifndef CAPE_CHECKPOINTER_H
#define CAPE_CHECKPOINTER_H

#include <stdbool.h>
#include "channel/methods.h"

struct trace;
struct trace_thread;

struct checkpointer {
	bool protects; /* pages, in a way that the user can choose (protect.h) */
	/*
	 * All threads stand still, THREAD has asked.  Both may be NULL: the program finds its
	 * changes itself, and runs untraced.
	 */
	/* From here on it is known what memory was.  0 or -errno. */
	int (*lock)(struct trace *trace, struct trace_thread *thread);
	/* Captures pages for which there was no fault; the program is about to compare.  0 or
	 * -errno. */
	int (*save)(struct trace *trace, struct trace_thread *thread);
};

#define CHECKPOINTER_DECLARE(name, model) extern const struct checkpointer checkpointer_##name;
CAPE_METHODS(CHECKPOINTER_DECLARE)

/* Whether pages are captured at all. */
static inline bool checkpointer_captures(const struct checkpointer *checkpointer)
{
	return checkpointer->lock;
}

/* Makes ready to protect memory.  0 or -errno; a message was printed. */
int checkpointer_start(struct trace *trace);

/* Carries out the request for which THREAD has stopped. */
void checkpointer_serve(struct trace *trace, struct trace_thread *thread);

#endif
