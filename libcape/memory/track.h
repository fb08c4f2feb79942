/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * track.h - which pages were written, asked of the kernel, where little of much memory is.
 *
 * A comparison of all shared memory is the fastest way to find that most of it has changed, but not
 * what little has.
 */
#ifndef CAPE_TRACK_H
#define CAPE_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "memory/area.h"

struct cape_runtime;

/* A stretch of pages, as the kernel's PAGEMAP_SCAN gives it. */
struct cape_track_region {
	uint64_t start, end, categories;
};

struct cape_track {
	int file; /* the userfaultfd; 0: not tried yet, -1: this kernel has not what it takes */
	bool armed;
	unsigned long_passes;		  /* in a row, without tracking, mostly without a result */
	unsigned successes;		  /* passes that were shorter by it */
	unsigned failures;		  /* times lately that it did not pay */
	unsigned pause;			  /* passes in which it is not tried */
	struct cape_runs *runs;		  /* what is found goes there */
	struct cape_track_region *region; /* pages of WHAT that were written */
	size_t count;
	struct cape_range what;
	uint64_t apart; /* before this, stretches are scanned one by one */
	bool threads;	/* others write, too: no time may pass from a scan to the protection */
	bool several;	/* of WHAT, not all is asked for, and nothing was protected */
	bool whole;	/* all is compared, though it is tracked already */
	struct cape_range expected; /* of cape_track_expect() */
	uint64_t pages, written;    /* looked at, and written, in this pass */
};

/*
 * Appends what differs between memory and twin to RUNS.  ALL: also what is the master's alone in a
 * region.  It starts to track when that pays, and stops when it does not.  0 or -ENOMEM.
 */
int cape_track_diff(struct cape_runtime *runtime, bool all, struct cape_runs *runs);

/* The same beside other threads of the node, which may write meanwhile. */
int cape_track_diff_beside(struct cape_runtime *runtime, struct cape_runs *runs);

/* Makes all twins what memory is: sequential code changed it, on every node alike. */
void cape_track_fold(struct cape_runtime *runtime);

/* The same inside a region, where what is each node's own, and the master's alone, is left out. */
void cape_track_fold_inside(struct cape_runtime *runtime);

/*
 * Up to LENGTH bytes at ADDRESS and after it will be written, most of them: so that not each page
 * costs a fault.  What is not written after all is compared for nothing.
 */
void cape_track_expect(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address,
		       uint64_t length);

/* What is at ADDRESS is to be compared in the next pass, too, though nobody may write to it. */
void cape_track_again(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address,
		      uint64_t length);

/* The program makes threads. */
void cape_track_threads(struct cape_runtime *runtime);

#endif
