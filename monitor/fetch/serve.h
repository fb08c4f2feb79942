/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serve.h - reading pages of this node's program for others.
 */
#ifndef CAPE_FETCH_SERVE_H
#define CAPE_FETCH_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "channel/fetch.h"

/* What a node wants of another one's program; pages 0: nothing. */
struct wanted {
	uint32_t pages; /* in all */
	uint32_t stretches;
	/* As it is sent. */
	struct wanted_body {
		uint64_t version;
		uint64_t copies; /* the table of pages served does not get to know of them */
		struct cape_range stretch[CAPE_FETCH_STRETCHES];
	} body;
};

/* Bytes of BODY with that many stretches. */
static inline size_t serve_wanted_size(uint32_t stretches)
{
	return offsetof(struct wanted_body, stretch[0]) + stretches * sizeof(struct cape_range);
}

/*
 * Counts the pages of BODY's stretches.  False, and there are none: they are no pages, or too many.
 */
bool serve_count_pages(struct wanted *wanted);

/* Whether the program may come to that version; if not, nothing is to wait for it. */
bool serve_comes_to(const struct cape_channel *channel, const struct wanted *wanted);

/* Whether the program is at that version; if not, it rings the bell when it has a higher one. */
bool serve_is_ready(struct cape_channel *channel, const struct wanted *wanted);

struct served {
	unsigned char *pages; /* until the program has taken the table */
	uint64_t entries;     /* of the table, these included */
	uint64_t wrong;	      /* the page that could not be read */
};

/*
 * Reads the pages of PROGRAM and notes in the table of pages served that READER has them.  0;
 * -ENOSPC: the table is full; -ESRCH: the program has ended; or -errno of the page WRONG.
 */
int serve_read(struct cape_channel *channel, pid_t program, uint32_t reader,
	       const struct wanted *wanted, struct served *served);

/* The same without a note, to TO, where there is room for all; *WRONG as above. */
int serve_copy(pid_t program, const struct wanted *wanted, unsigned char *to, uint64_t *wrong);

/* Gives memory back of pages that were served, *KEPT of them, if the program has taken the table.
 */
void serve_trim(struct cape_channel *channel, uint64_t *kept);

#endif
