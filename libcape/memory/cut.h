/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cut.h - leaving out of checkpoints what is a node's own.
 *
 * complete and dickpt send every word that changed, private ones too.  Injecting those would
 * overwrite what is the receiver's own (thesis 5.2: "makes the program work incorrectly"), so only
 * what lies in shared memory is taken.
 */
#ifndef CAPE_CUT_H
#define CAPE_CUT_H

#include <stdbool.h>
#include "checkpoint/wire.h"
#include "memory/area.h"

struct cape_runtime;

/* Shared memory, in the order of addresses. */
struct cape_cut_list {
	struct cape_range *range;
	size_t count;
};

struct cape_cut {
	bool active;		     /* else all is taken */
	struct cape_cut_list shared; /* what every node's checkpoint may change */
	struct cape_cut_list all;    /* and what the master's may at a region's end */
};

/* Lists shared memory as it is now; before checkpoints are read. */
void cape_cut_update(struct cape_runtime *runtime);

/* Reads one checkpoint's runs. */
struct cape_cutter {
	const struct cape_cut_list *list; /* NULL: all is taken */
	size_t next;
	struct cape_run rest; /* of the run read last */
	const unsigned char *data;
};

void cape_cutter_open(struct cape_cutter *cutter, const struct cape_cut *cut, bool all);

/* As cape_cursor_next(), for what lies in shared memory. */
int cape_cutter_next(struct cape_cutter *cutter, struct cape_cursor *cursor, struct cape_run *run,
		     const unsigned char **data);

#endif
