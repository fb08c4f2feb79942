/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.h - the pages that were captured since memory was locked, and their twins.
 *
 * Twins go straight into the channel, where the program compares them with its memory.
 */
#ifndef CAPE_NODE_CAPTURE_H
#define CAPE_NODE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "channel/capture.h"
#include "mappings.h"

#define CAPTURE_PAGE  4096ul
#define CAPTURE_BATCH 512

struct capture {
	struct cape_channel *channel;
	pid_t process;
	int pagemap;
	uint64_t count;	     /* entries in the channel's table, not yet in order */
	uint64_t sorted;     /* so many of them are in order */
	uint64_t twins_used; /* bytes */
	uint64_t image_used;
	uint64_t pages; /* captured since memory was locked */

	/*
	 * Hash table of captured pages; 0: free.  By hand: it is written at each fault, and one of
	 * uthash's took ten times as long, and 80 bytes a page.
	 */
	uint64_t *page;
	size_t page_count, page_capacity;
	size_t guesses;		  /* pages that were captured ahead of writes */
	struct cape_range *range; /* whose pages were all captured */
	size_t range_count, range_capacity;

	/* Which pages exist, read in batches. */
	uint64_t batch_start, batch_end;
	uint64_t batch[CAPTURE_BATCH];

	/* Pages as they are now, read in batches. */
	uint64_t seen_start, seen_end;
	unsigned char *seen;
};

/* PROCESS has begun.  0 or -errno. */
int capture_start(struct capture *capture, struct cape_channel *channel, pid_t process);
void capture_stop(struct capture *capture);

/* Nothing is captured: memory is about to be locked. */
void capture_reset(struct capture *capture);

bool capture_has(const struct capture *capture, uint64_t page);

/*
 * Copies the page as it is now.  ANONYMOUS: if it does not exist it is zeros.  Nothing when it was
 * captured before.  0 or -errno.
 */
int capture_page(struct capture *capture, uint64_t page, bool anonymous);

/* The same for a page whose twin somebody else writes: where to, or NULL: no room. */
void *capture_slot(struct capture *capture);
/* The slot's page was written; ZERO: it was not needed. */
int capture_take_slot(struct capture *capture, uint64_t page, bool zero);

/*
 * PAGE is about to be written, and those after it up to *END probably are, too.  Copies them as
 * far as that is easy, *END says how far.  0 or -errno.
 */
int capture_ahead(struct capture *capture, uint64_t page, uint64_t *end, bool anonymous);

/* Forgets what was captured ahead and still is what it was. */
int capture_drop_unwritten(struct capture *capture);

/* Captures all pages from START to END. */
int capture_range(struct capture *capture, uint64_t start, uint64_t end, bool anonymous);

/* Captures those of them that exist. */
int capture_existing(struct capture *capture, uint64_t start, uint64_t end);

/* The pages from START to END that exist were zeros when memory was locked. */
int capture_fresh(struct capture *capture, uint64_t start, uint64_t end);

/* Forgets what the program cannot read any more. */
int capture_drop_unmapped(struct capture *capture, const struct mappings *mappings);

/* Adds to each entry a copy of its memory as it is now. */
int capture_image(struct capture *capture);

/* Puts the table in order, for the program. */
void capture_finish(struct capture *capture);

#endif
