/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * captured.h - finding changes in the pages that the monitor captured (methods complete, dickpt
 * and tickpt1): the base of a byte is its page's twin, or memory itself where no page was captured.
 */
#ifndef CAPE_CAPTURED_H
#define CAPE_CAPTURED_H

#include "base/context.h"
#include "memory/area.h"

/* A region begins: what only the master's end counts for keeps its base until the region ends. */
void cape_captured_enter(struct cape_runtime *runtime);

/* From here on the first write to a page of shared memory (or of all memory) captures it. */
void cape_captured_lock(struct cape_runtime *runtime);

/* No more; what was captured since can be compared. */
void cape_captured_save(struct cape_runtime *runtime);

/*
 * Lists what has changed: shared memory, or everything, as the method says.  END: also what the
 * master alone sends at a region's end.  0 or -ENOMEM.
 */
int cape_captured_generate(struct cape_runtime *runtime, bool end, struct cape_runs *runs);

/* Appends what changed in RANGE.  0 or -ENOMEM. */
int cape_captured_diff(struct cape_channel *channel, struct cape_range range,
		       struct cape_runs *runs);

/* Where the base of ADDRESS is, or NULL: zeros.  *KNOWN: up to where that holds, at most END. */
const unsigned char *cape_captured_base(struct cape_channel *channel, uint64_t address,
					uint64_t end, uint64_t *known);

/* Puts back the base of RANGE. */
void cape_captured_restore(struct cape_channel *channel, struct cape_range range);

#endif
