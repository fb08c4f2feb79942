/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calls.h - calls by which one node, inside a region, changes what the whole process has: its
 * signal handlers, its folder, its environment, its memory's layout.
 *
 * The node makes the call and notes it, in its own arena of the heap, so that the note travels
 * with everything else that the node wrote; the others make the call when it reaches them.
 */
#ifndef CAPE_CALLS_H
#define CAPE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cape_runtime;
struct cape_call;

/* When a call that was noted is made. */
enum cape_call_when {
	CAPE_CALL_ONCE,	 /* by other nodes, when it reaches them */
	CAPE_CALL_AGAIN, /* and by all nodes, in one order, after the region: the last one counts
			  */
	CAPE_CALL_LAST,	 /* by all nodes after the region, not before */
};

/* Makes the call that the noted bytes at ARGUMENTS describe. */
typedef void (*cape_call_make)(struct cape_runtime *runtime, const void *arguments);

/* What this node knows of the notes; not shared. */
struct cape_calls {
	uint64_t time;		       /* of the latest call made or noted */
	const struct cape_call **made; /* of each node's notes, the last that was made */
	struct cape_call *last;	       /* of this node's notes */
};

/* Notes a call that this node makes; of SIZE bytes at ARGUMENTS a copy is kept.  In a region only.
 */
void cape_calls_note(struct cape_runtime *runtime, enum cape_call_when when, cape_call_make make,
		     const void *arguments, size_t size);

/* Makes the calls of others that have reached this node since: by time, then the master last. */
void cape_calls_follow(struct cape_runtime *runtime);

/* Whether no node has noted a call that is still to be forgotten. */
bool cape_calls_are_settled(const struct cape_runtime *runtime);

/* After a region, on every node alike: makes the calls that are for then, and forgets all. */
void cape_calls_settle(struct cape_runtime *runtime);

#endif
