/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * diff.h - finding what changed: memory against its twin (thesis 2.3.3.3, 3.4.2).
 */
#ifndef CAPE_DIFF_H
#define CAPE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "checkpoint/runs.h"

/* Unchanged bytes between two changed words that one run covers rather than end for. */
#define CAPE_RUN_GAP 8

/*
 * Appends the runs of [MEMORY, MEMORY + LENGTH) that differ from TWIN (NULL: from zeros).  The
 * first byte has the address ADDRESS, which need not be where MEMORY points.
 *
 * Runs cover what changed: they begin and end with a changed word (words lie at multiples of
 * CAPE_WORD of the address; of one that an end of the range cuts, the part inside counts) and hold
 * unchanged gaps of at most CAPE_RUN_GAP bytes.  Every node holds the same twin, so whoever
 * combines the runs of several nodes can find the bytes that really changed.
 *
 * A run lies within the range of one call: it never joins those of earlier calls.
 * 0, -ENOMEM, or -EINVAL when ADDRESS is below the end of RUNS or the range wraps around.
 */
int cape_diff(const void *memory, const void *twin, size_t length, uint64_t address,
	      struct cape_runs *runs);

/* Whether SIZE bytes are all zeros; none are. */
static inline bool cape_is_zero(const unsigned char *bytes, size_t size)
{
	return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

#endif
