/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cut.h - what of checkpoints is not a node's own.
 *
 * complete and dickpt send every word that changed, private ones too.  Injecting those would
 * overwrite what is the receiver's own (thesis 5.2: "makes the program work incorrectly"), so only
 * what lies in shared memory is taken.
 */
#ifndef CAPE_CUT_H
#define CAPE_CUT_H

#include <stdbool.h>
#include "base/private.h"
#include "checkpoint/runs.h"

struct cape_runtime;

struct cape_cut_list {
	struct cape_private_array memory;
	struct cape_runs runs;
};

struct cape_cut {
	bool active;		     /* else all is taken */
	struct cape_cut_list shared; /* what every node's checkpoint may change */
	struct cape_cut_list all;    /* and what the master's may at a region's end */
};

/* Lists shared memory as it is now; before checkpoints are read. */
void cape_cut_update(struct cape_runtime *runtime);

/* What is to be taken of a checkpoint, for cape_source; ALL: the master's at a region's end. */
const struct cape_runs *cape_cut_of(const struct cape_cut *cut, bool all);

#endif
