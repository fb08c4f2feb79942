/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * contributions.h - what tasks with in_reduction add to the variables of a task reduction.
 *
 * A task adds its part to the original at its end; but while tasks run on other nodes nothing may
 * be added there, and the order must be that of the tasks, whoever ran them.  So the node that
 * makes tasks gives each one that it posts a slot, in the heap, where parts are kept until that
 * node has waited for its tasks and adds them all.
 */
#ifndef CAPE_CONTRIBUTIONS_H
#define CAPE_CONTRIBUTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cape.h"

struct cape_runtime;

#define CAPE_TASK_SCOPES_LIMIT (1ul << 20) /* variables of task reductions at one time */

/* One part, as it lies in the heap. */
struct cape_contribution {
	struct cape_contribution *next; /* of the same slot */
	uint64_t address;		/* of the original */
	uint64_t count;
	uint64_t size;				    /* of one value */
	void (*combine)(void *out, const void *in); /* NULL: OP and TYPE say how */
	uint32_t op;
	uint32_t type;
	_Alignas(16) unsigned char values[];
};

/* A variable that tasks may contribute to, from the beginning of its construct to the end. */
struct cape_task_scope {
	uint64_t address;
	uint64_t size;
	uint64_t copy; /* where the parts go: ADDRESS, or a private copy of it */
	bool own;      /* of the task that runs: only this node's */
};

struct cape_task_slots;

struct cape_contributions {
	struct cape_task_slots *first, *last; /* of the tasks that this node made; NULL: none */
	struct cape_contribution **append;    /* for the task that was taken; NULL: none runs */
	struct cape_task_scope *scope;	      /* the innermost last */
	size_t scopes;
};

/* A slot for the task that is posted next. */
uint64_t cape_contributions_slot(struct cape_runtime *runtime);

/* The innermost construct whose variable the SIZE bytes at ADDRESS belong to, or NULL. */
const struct cape_task_scope *
cape_contributions_scope(const struct cape_contributions *contributions, uint64_t address,
			 uint64_t size);

/* Adds PART, whose values are VALUES, to the variable of SCOPE, or where it says itself. */
void cape_contributions_apply(const struct cape_task_scope *scope,
			      const struct cape_contribution *part, const unsigned char *values);

/* Adds PART to its variable, now or, while other nodes run tasks, when they are done. */
void cape_contributions_add(struct cape_runtime *runtime, const struct cape_contribution *part,
			    const void *values);

/* The tasks that were posted are done: adds what is in the slots. */
void cape_contributions_fold(struct cape_runtime *runtime);

#endif
