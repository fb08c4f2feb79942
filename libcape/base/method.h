/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * method.h - a method: how the changes of an interval are found.  One object for each that
 * channel/methods.h lists, in a file of its name in method/; nobody else asks which it is.
 */
#ifndef CAPE_METHOD_H
#define CAPE_METHOD_H

#include <stdbool.h>
#include <stdint.h>
#include "channel/methods.h"

struct cape_base;
struct cape_runs;
struct cape_runtime;

struct cape_method {
	/* What shared memory is compared with (memory/area.h). */
	const struct cape_base *base;
	/* Checkpoints also hold what is a node's own, which no other node takes (memory/cut.h). */
	bool takes_own;
	/* As the thesis counts checkpoints, a run ends where a page does (memory/paper_size.h). */
	bool by_page;
	/* A node can publish its changes between sync points, too (sync/log.h). */
	bool publishes;
	/* What takes its place on a single node where nobody asks for changes; NULL: nothing. */
	const struct cape_method *alone;

	/* A region begins: memory is alike on all nodes, and what is changed from here counts. */
	void (*enter)(struct cape_runtime *runtime);
	/*
	 * At a sync point: lists what was changed.  ALL: also what is the master's alone in a
	 * region.  0 or -ENOMEM.
	 */
	int (*generate)(struct cape_runtime *runtime, bool all, struct cape_runs *runs);

	/* Below may be NULL: nothing to do. */
	/* The program starts, with a monitor.  Ends the run if this machine cannot do it. */
	void (*start)(struct cape_runtime *runtime);
	/* A sync point begins: what is changed from here on does not count. */
	void (*save)(struct cape_runtime *runtime);
	/* It was one inside the region: what is changed from here on counts again. */
	void (*lock)(struct cape_runtime *runtime);
	/* Inside the region memory was changed on every node alike: that does not count. */
	void (*settle)(struct cape_runtime *runtime);
	/* Takes this node's registers, which go with jobs; their size in the channel. */
	uint64_t (*take_registers)(struct cape_runtime *runtime);
};

#define CAPE_METHOD_DECLARE(name, model) extern const struct cape_method cape_method_##name;
CAPE_METHODS(CAPE_METHOD_DECLARE)

/* Not to be chosen by the user: looks for no changes. */
extern const struct cape_method cape_method_unwatched;

#endif
