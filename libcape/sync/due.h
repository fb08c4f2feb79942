/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * due.h - when the run is saved: node 0 says so in what it sends to a sync point.
 *
 * At the end of a region the run is saved at once.  Inside one, which must have lasted, node 0
 * first asks; at the next sync point all nodes say whether they can, and if so they save after it.
 * Between two chunks of a dynamic or guided loop, which may last for long, node 0 calls all to meet
 * at such a sync point.
 */
#ifndef CAPE_DUE_H
#define CAPE_DUE_H

#include <stdbool.h>
#include <stdint.h>
#include "channel/service.h"
#include "message/message.h"

struct cape_runtime;

struct cape_due {
	/* How all nodes save after this sync point (enum cape_save_kind), or 0. */
	uint32_t at_end; /* of a region */
	uint32_t in_region;
	bool asked;	  /* in this region: all say at the next sync point whether they can */
	bool reported;	  /* and the user, that a node cannot */
	uint32_t ends;	  /* of regions, since the run was saved */
	uint64_t points;  /* sync points, the same */
	uint64_t entered; /* when this region was, in nanoseconds */
	/* Node 0, between chunks, in nanoseconds, too: */
	uint64_t called; /* when it has called nodes to meet, without success so far; 0: it has not
			  */
	uint64_t patience; /* how long it waits for them */
	uint64_t again;	   /* before that it does not call */
	/* Those of the room that saves: why this node cannot in the region, or NULL; does it. */
	const char *(*refuse)(struct cape_runtime *runtime);
	void (*save)(struct cape_runtime *runtime);
};

/* A region begins, or the program goes on inside one. */
void cape_due_enter(struct cape_runtime *runtime);

/* Of a run that is saved now and then: what this node says at a sync point of KIND. */
void cape_due_put(struct cape_runtime *runtime, struct cape_message *header,
		  enum cape_sync_kind kind);

/* What all nodes make of that. */
void cape_due_agree(struct cape_runtime *runtime, enum cape_sync_kind kind);

/* A region of threads is at its end: whether the run, which is of one node, is saved there. */
bool cape_due_of_threads(struct cape_runtime *runtime);

/*
 * What this node says when it asks for a chunk.  LATER: it has asked, and has to wait for
 * nodes that are to meet.
 */
enum cape_chunk_call cape_due_chunk(struct cape_runtime *runtime, bool later);

/* It knows that no chunk is left, and not to wait before: nobody was called to meet. */
void cape_due_used_up(struct cape_runtime *runtime);

/* Nodes have met between chunks: at the sync point that comes all say whether they can save. */
void cape_due_meet(struct cape_runtime *runtime);

/* After a sync point inside a region: saves, as was agreed. */
void cape_due_save(struct cape_runtime *runtime);

#endif
