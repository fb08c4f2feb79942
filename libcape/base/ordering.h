/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ordering.h - how threads order each other between barriers: one object where each node is a
 * thread, another where a node has several (mixed/).
 */
#ifndef CAPE_ORDERING_H
#define CAPE_ORDERING_H

#include "base/context.h"

/*
 * thread: the caller's number among the threads of all nodes, in nested regions, too.  task: tells
 * apart the tasks that are alive on it, which lie inside each other.
 *
 * acquire, try, release: lock ID (channel/service.h), of all threads of all nodes; an acquire takes
 * what was published, a release publishes.  try: whether the lock was free, and is the caller's
 * now. give_back: a release that publishes nothing.
 *
 * speak, be_silent: around what asks the service in any other way, or changes what the node knows
 * of the log: between them no other thread of the node does, nor prints.  lock, unlock: around what
 * changes what the node knows of files and mappings.  begin_access, end_access: around what changes
 * which pages are here, and around a request.
 *
 * In this order they may stand inside each other: streams of stdio, lock, the heap's lock,
 * begin_access; a speak is of the first two.  Each may stand inside its like.  An access to a page
 * that is not here is the last of them, and may come anywhere.
 */
struct cape_ordering {
	unsigned (*thread)(const struct cape_runtime *runtime);
	unsigned (*task)(const struct cape_runtime *runtime);
	void (*acquire)(struct cape_runtime *runtime, uint64_t id);
	bool (*try)(struct cape_runtime *runtime, uint64_t id);
	void (*release)(struct cape_runtime *runtime, uint64_t id);
	void (*give_back)(struct cape_runtime *runtime, uint64_t id);
	void (*speak)(struct cape_runtime *runtime);
	void (*be_silent)(struct cape_runtime *runtime);
	void (*lock)(struct cape_runtime *runtime);
	void (*unlock)(struct cape_runtime *runtime);
	void (*begin_access)(struct cape_runtime *runtime);
	void (*end_access)(struct cape_runtime *runtime);
};

extern const struct cape_ordering cape_ordering_of_nodes;

#endif
