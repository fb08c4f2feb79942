/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * source.h - one node's checkpoint, being read run by run in the order of addresses.
 */
#ifndef CAPE_SOURCE_H
#define CAPE_SOURCE_H

#include "checkpoint/runs.h"
#include "checkpoint/stamp.h"
#include "checkpoint/wire.h"

struct cape_source {
	struct cape_stamp stamp;
	struct cape_cursor cursor; /* opened; the checkpoint, which may come from anywhere */
	/* Only what lies in these counts (thesis, definition 3: range); NULL: all does. */
	const struct cape_runs *within;

	/* What the functions below keep. */
	struct cape_run run;	   /* what is left of the current one; length 0: no more */
	const unsigned char *data; /* its bytes */
	uint64_t passed;	   /* bytes of the current one that were passed */
	struct cape_run rest;	   /* after RUN, of the run that was read last */
	const unsigned char *rest_data;
	size_t next; /* in WITHIN */
};

/* Goes on with the next run, or the first one.  0, or -EBADMSG as cape_cursor_next(). */
int cape_source_next(struct cape_source *source);

/* Skips LENGTH bytes of the current run, and at its end the run. */
int cape_source_advance(struct cape_source *source, uint64_t length);

#endif
