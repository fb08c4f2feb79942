/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exact.h - a checkpoint's memory members byte by byte: for runs that will meet memory of which
 * its contents at the time when they were made are not known any more.
 *
 * A run covers unchanged bytes too (diff.h).  At a sync point the common twin shows them; where
 * nodes have taken different checkpoints meanwhile there is no common twin, so here a run of which
 * not every byte changed carries a mask.  For each run: the gap from the end of the run before
 * (the first: from address 0) and four times its length, plus 1 if there is a mask, plus 2 if it
 * yields, as varints; its bytes; the mask, one bit a byte, lowest first.
 *
 * A run yields where others can have seen, and changed, what was in memory before it was made: to
 * checkpoints before it of which its node did not know.
 */
#ifndef CAPE_EXACT_H
#define CAPE_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "checkpoint/runs.h"
#include "checkpoint/stamp.h"

struct cape_exact_run {
	uint64_t address;
	uint64_t length;
	const unsigned char *data;
	const unsigned char *mask; /* NULL: every byte counts */
	bool yields;
};

/* Bytes that the encoding of a run of LENGTH bytes takes at most. */
static inline uint64_t cape_exact_bound(uint64_t length)
{
	return 20 + length + length / 8 + 1;
}

/*
 * Writes one run to OUT, which has room for cape_exact_bound(), and returns where it ends.  *END:
 * where the run before ended (0 at first), moved after this one, which must not begin earlier.
 * BASE: what its bytes were; NULL: all of them count.
 */
unsigned char *cape_exact_put(unsigned char *out, uint64_t *end, const struct cape_run *run,
			      const void *memory, const void *base);

/*
 * The same against TWIN, whose bytes become those that were written.  Other threads may write to
 * MEMORY: what they change meanwhile differs from TWIN afterwards, if it was not written.
 */
unsigned char *cape_exact_collect(unsigned char *out, uint64_t *end, const struct cape_run *run,
				  const void *memory, void *twin, bool yields);

/* Writes RUN once more, of which MASK says what counts, as cape_exact_put() does. */
unsigned char *cape_exact_put_masked(unsigned char *out, uint64_t *end,
				     const struct cape_exact_run *run, const unsigned char *mask);

/* Reads what cape_exact_put() wrote; the bytes stay the caller's. */
struct cape_exact_cursor {
	const unsigned char *at, *end;
	uint64_t address; /* where the last run ended */
};

static inline void cape_exact_open(struct cape_exact_cursor *cursor, const void *bytes,
				   uint64_t size)
{
	*cursor = (struct cape_exact_cursor){bytes, (const unsigned char *)bytes + size, 0};
}

/*
 * The next run.  1; 0 at the end; -EBADMSG when the bytes are malformed, as they may be when they
 * come from elsewhere.
 */
int cape_exact_next(struct cape_exact_cursor *cursor, struct cape_exact_run *run);

/*
 * The bytes of RUN become those of MEMORY and of TWIN, which begin at its address.  Other threads
 * may write to MEMORY: bytes that are not of RUN are not written to.
 */
void cape_exact_set(const struct cape_exact_run *run, void *memory, void *twin);

/*
 * The same, but a byte of MEMORY that differs from TWIN stays: it was changed here, and nobody has
 * been announced yet.
 */
void cape_exact_take(const struct cape_exact_run *run, void *memory, void *twin);

typedef void (*cape_exact_apply)(const struct cape_exact_run *run, void *memory, void *twin);

/* The memory that runs are applied to. */
struct cape_exact_memory {
	void *context;
	/*
	 * Where the bytes of RUN are in memory and in the twin, to be written to; AFTER: bytes of
	 * the checkpoint that are still to be read.  False: they are not shared memory.
	 */
	bool (*reach)(void *context, const struct cape_exact_run *run, uint64_t after,
		      unsigned char **memory, unsigned char **twin);
};

/*
 * Applies all runs of a checkpoint of SIZE BYTES as HOW does, cape_exact_set() for example.  0, or
 * -EBADMSG: it is malformed or names memory that is not shared; a part has been applied.
 */
int cape_exact_apply_all(const void *bytes, uint64_t size, cape_exact_apply how,
			 const struct cape_exact_memory *memory);

/* A node's checkpoint. */
struct cape_exact_source {
	struct cape_stamp stamp;
	const void *bytes;
	uint64_t size;
};

/*
 * Merges COUNT checkpoints into memory and twin: the latest time-stamp is applied last.  The list
 * is sorted by that.  0, or -EBADMSG as above, with the number of the node in *NODE.
 */
int cape_exact_merge(struct cape_exact_source *source, unsigned count,
		     const struct cape_exact_memory *memory, uint32_t *node);

#endif
