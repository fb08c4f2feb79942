/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * threadprivate.h - thread-local storage, where threadprivate variables are: inside regions each
 * node has its own, while sequential code sees the master's on every node.
 */
#ifndef CAPE_THREADPRIVATE_H
#define CAPE_THREADPRIVATE_H

#include "base/context.h"
#include "channel/range.h"

#define CAPE_COPYIN_LIMIT 4096ul

/* The initial thread's of the program or of a library. */
struct cape_thread_storage {
	uint64_t address;
	uint64_t size;
	unsigned char *own;	   /* this node's values, kept outside regions */
	unsigned char *sequential; /* what sequential code sees, kept inside; NULL: an area's */
};

/* A thread of a node whose regions are run by several; the initial one is number 0. */
struct cape_thread_values {
	uint64_t pointer; /* what the processor finds its storage by; 0: it is not there */
	const unsigned char *before; /* its values where the run was saved, or NULL */
	uint64_t before_size;
};

#define CAPE_THREAD_VALUES_LIMIT 65536ul

struct cape_threadprivates {
	struct cape_thread_storage *storage;
	size_t count;
	struct cape_thread_values *thread; /* by number */
	size_t threads;			   /* that may be there, or were where the run was saved */
	uint64_t pointer;		   /* the initial thread's */
	struct cape_range *copyin;	   /* of the region that is about to begin */
	size_t copyin_count;
};

/*
 * Adds the storage of an object, whose present values are the initial ones.  AN_AREA: it is one of
 * CAPE_AREA_MASTER, so that sequential code sees what the master has changed.
 */
void cape_thread_storage_add(struct cape_runtime *runtime, uint64_t address, uint64_t size,
			     bool an_area);

/* In the region that is about to begin, the master's SIZE bytes at ADDRESS are everybody's. */
void cape_threadprivate_copyin(struct cape_runtime *runtime, uint64_t address, uint64_t size);

/* Region entry: put this node's own values in place, but for copyin leave the master's there. */
void cape_threadprivate_enter(struct cape_runtime *runtime);

/* Region end: keep this node's own values, and put the values of the region's entry in place;
 * what the master changed comes with its checkpoint. */
void cape_threadprivate_leave(struct cape_runtime *runtime);

/* The run time's VARIABLE of SIZE bytes is in this node's own values what it is now. */
void cape_threadprivate_keep(struct cape_runtime *runtime, const void *variable, uint64_t size);

/* So many threads are there, the initial one among them. */
void cape_threadprivate_count(struct cape_runtime *runtime, size_t threads);

/* The calling thread is NUMBER of this node: it has the values of where the run was saved. */
void cape_threadprivate_begin(struct cape_runtime *runtime, unsigned number);

#endif
