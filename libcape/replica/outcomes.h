/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * outcomes.h - what comes of the writes of sequential code is what came of node 0's.
 *
 * Node 0 writes to the file; another node writes to its copy, where nothing ever fails.  To ask
 * node 0 costs an exchange, which a write to a disk with room is spared: as long as a descriptor
 * has credit, bytes that node 0 is sure to get rid of, every node goes on at once.  Without it
 * (little room is left, or what is open is no file) all get node 0's outcome.  Where a write fails
 * in spite of its credit the run ends.
 */
#ifndef CAPE_OUTCOMES_H
#define CAPE_OUTCOMES_H

#include <sys/types.h>
#include "base/context.h"

/* Bytes that DESCRIPTOR, which this node has just opened, takes for sure. */
uint64_t cape_outcome_credit(int descriptor);

/* Whether DESCRIPTOR is such a file, and the caller sequential code of several nodes. */
bool cape_outcome_is_common(struct cape_runtime *runtime, int descriptor);

/* Whether to ask what becomes of SIZE bytes; 0: of a call that writes none.  If not, they are taken
 * from the credit. */
bool cape_outcome_is_asked(struct cape_runtime *runtime, int descriptor, size_t size);

/*
 * Node 0's RESULT and errno of the call WHAT, on every node, and signals that came with it.  All
 * nodes wait for each other.
 */
long cape_outcome_agree(struct cape_runtime *runtime, int descriptor, long result,
			const char *what);

/*
 * Nobody was asked: gives RESULT back, or ends the run if the others have not got the same, SIZE
 * when all is well.
 */
long cape_outcome_check(struct cape_runtime *runtime, int descriptor, long result, size_t size,
			const char *what);

/* Ends the run: WHAT, on DESCRIPTOR, failed by ERROR or, by 0, in part; AFTERWARDS: what now. */
void cape_outcome_fail(struct cape_runtime *runtime, int descriptor, const char *what, int error,
		       const char *afterwards) __attribute__((noreturn));

#endif
