/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * threadprivate.h - variables of which each node has its own inside regions, while sequential
 * code sees the master's on every node.
 */
#ifndef CAPE_THREADPRIVATE_H
#define CAPE_THREADPRIVATE_H

#include "base/context.h"
#include "checkpoint/runs.h"
#include "memory/area.h"

#define CAPE_THREADPRIVATES_LIMIT 4096ul

/* A variable of which each node has its own. */
struct cape_threadprivate {
	uint64_t address;
	uint64_t size;
	const char *name;
	unsigned char *own;    /* this node's value, kept outside regions */
	unsigned char *master; /* the sequential value, kept inside regions */
	bool copyin;
};

struct cape_threadprivates {
	struct cape_threadprivate *list;
	size_t count;
};

/* Adds a variable whose present value is its initial one.  Knowing it already is no error. */
void cape_threadprivate_add(struct cape_runtime *runtime, uint64_t address, uint64_t size,
			    const char *name);

/* Adds those that the program records (cape_set_threadprivate()). */
void cape_threadprivate_add_recorded(void);

/* Region entry: put this node's own values in place, or with copyin leave the master's there. */
void cape_threadprivate_enter(struct cape_runtime *runtime);

/* Region end: keep this node's own values, and put the values of the region's entry in place;
 * what the master changed comes with its checkpoint. */
void cape_threadprivate_leave(struct cape_runtime *runtime);

/*
 * Appends what has changed of the variable at RANGE on the master since the region's entry.  0 or
 * -ENOMEM.
 */
int cape_threadprivate_diff(struct cape_runtime *runtime, struct cape_range range,
			    struct cape_runs *runs);

/* Whether the program has such variables, of which a process has one. */
bool cape_threadprivate_any(const struct cape_runtime *runtime);

#endif
