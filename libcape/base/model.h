/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * model.h - an execution model: who computes what, and how results come together.  One object for
 * each that channel/methods.h lists, in a file of its name in model/; nobody else asks which it is.
 */
#ifndef CAPE_MODEL_H
#define CAPE_MODEL_H

#include <stdbool.h>
#include "channel/methods.h"

struct cape_runtime;

/* This node's part of a construct, as handed out. */
struct cape_job {
	unsigned long left, right; /* the next iterations: LEFT .. RIGHT - 1 */
	unsigned long chunk;	   /* then every WORKERS-th chunk; 0: no more */
	unsigned long last;
	unsigned long worker, workers; /* whose it is, among how many; none: no work */
	bool valid;		       /* there are next iterations */
};

/* What a construct shares out, and this node's part of it. */
struct cape_work {
	unsigned long first, last; /* iterations or sections first .. last - 1 */
	unsigned long chunk;	   /* of the schedule; 0: static, one block for each node */
	bool from_end;		   /* such blocks: the last node has the first one */
	struct cape_job job;
	bool has_job;
};

struct cape_model {
	/*
	 * The master hands out jobs.  Else every node knows its own, goes on by itself, and may
	 * publish changes between sync points.
	 */
	bool hands_out;
	/* The master alone merges all results, and notes what that has written. */
	bool by_master;

	/* The job of this node, of a team of several; all of them are here. */
	void (*take_job)(struct cape_runtime *runtime, struct cape_work *work);
	/*
	 * Of several nodes: hands this one's message over, and brings those of the others that it
	 * needs.
	 */
	void (*exchange)(struct cape_runtime *runtime);
	/* All is merged here, and memory holds the result.  May be NULL: all nodes have it. */
	void (*send_result)(struct cape_runtime *runtime);
};

#define CAPE_MODEL_DECLARE(name, text) extern const struct cape_model cape_model_##name;
CAPE_MODELS(CAPE_MODEL_DECLARE)

#endif
