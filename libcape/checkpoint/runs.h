/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * runs.h - a sorted list of pieces of memory.
 */
#ifndef CAPE_RUNS_H
#define CAPE_RUNS_H

#include <stddef.h>
#include <stdint.h>
#include "channel/range.h"
#include "system/memory.h"

/* Bytes of the word by which changes are found (thesis 2.3.3.3). */
#define CAPE_WORD 4ul

/* LENGTH >= 1 bytes from ADDRESS; never wraps around the end of the address space. */
struct cape_run {
	uint64_t address;
	uint64_t length;
};

static inline struct cape_range cape_run_range(const struct cape_run *run)
{
	return (struct cape_range){run->address, run->address + run->length};
}

/* Runs in the order of addresses that do not overlap. */
struct cape_runs {
	struct cape_memory *memory;
	struct cape_run *run;
	size_t count, capacity;
	uint64_t bytes; /* sum of the lengths */
};

/* An empty list whose array will come from MEMORY, which must outlive it. */
void cape_runs_init(struct cape_runs *runs, struct cape_memory *memory);

/* Empties the list and keeps its memory. */
void cape_runs_clear(struct cape_runs *runs);

/* Empties the list and gives its memory back; it may be used again. */
void cape_runs_free(struct cape_runs *runs);

/* Makes room for EXTRA more runs.  0 or -ENOMEM. */
int cape_runs_reserve(struct cape_runs *runs, size_t extra);

/*
 * Appends a run that begins at or after the end of the last one; joins the two when they touch.
 * LENGTH 0 adds nothing.  0, -ENOMEM, or -EINVAL when it begins earlier or wraps around.
 */
int cape_runs_add(struct cape_runs *runs, uint64_t address, uint64_t length);

/* Where the last run ends; 0 when there is none. */
static inline uint64_t cape_runs_end(const struct cape_runs *runs)
{
	const struct cape_run *last = runs->count ? &runs->run[runs->count - 1] : NULL;

	return last ? last->address + last->length : 0;
}

#endif
