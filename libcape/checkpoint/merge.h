/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * merge.h - merging the checkpoints of several nodes straight into memory (thesis 3.2.2, 3.2.3).
 *
 * An element is a byte that differs from its base: what it was at the last sync point, on every
 * node alike.  (Runs cover whole words, so they hold bytes that their node did not change; these
 * are none.)  Elements of one checkpoint only are kept; of several at one address the one with
 * the latest time-stamp is.  So the result is a function of the set of checkpoints and of the
 * base, whatever the order of the list and however the runs are cut.
 */
#ifndef CAPE_MERGE_H
#define CAPE_MERGE_H

#include "checkpoint/runs.h"
#include "checkpoint/source.h"

#define CAPE_MERGE_NOBODY UINT32_MAX

/* The memory that the checkpoints meet, and what is asked of its owner. */
struct cape_merge_memory {
	void *context;
	/*
	 * Where ADDRESS is, to be written to; *LENGTH becomes the bytes from there on, at most what
	 * it was.  NULL: it is not shared memory.
	 */
	unsigned char *(*reach)(void *context, uint64_t address, uint64_t *length);
	/*
	 * Where the base of ADDRESS, which was reached, is, or NULL: zeros.  *KNOWN: up to where
	 * that holds, at most END.
	 */
	const unsigned char *(*base)(void *context, uint64_t address, uint64_t end,
				     uint64_t *known);
	/* NULL, or called for an element at ADDRESS that another replaces. */
	void (*replaced)(void *context, uint64_t address, const struct cape_source *element,
			 const struct cape_source *by);
	uint32_t own; /* the node whose bytes memory holds already, or CAPE_MERGE_NOBODY */
	struct cape_runs *written; /* NULL, or where what the result covers is appended */
};

/*
 * Merges COUNT checkpoints, all of which cape_source_next() has been called for once, into MEMORY.
 * 0, -ENOMEM, or -EBADMSG: one is malformed or names memory that is not shared; then a part has
 * been written.
 */
int cape_merge(struct cape_source *source, unsigned count, const struct cape_merge_memory *memory);

#endif
