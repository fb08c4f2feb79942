/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ahead.h - pages that are about to be written: what follows where pages are written in a row.
 */
#ifndef CAPE_AHEAD_H
#define CAPE_AHEAD_H

#include <stdint.h>

#define AHEAD_STREAMS 8
#define AHEAD_MOST    32 /* pages */

/* A row of pages that were written one after the other, and how many the last step captured. */
struct ahead_stream {
	uint64_t next;
	uint64_t pages;
};

struct ahead {
	struct ahead_stream stream[AHEAD_STREAMS];
	unsigned oldest; /* the one that is given up for a new row */
};

/* A fault at PAGE: how many pages from there on are worth opening at once, 1 to AHEAD_MOST. */
uint64_t ahead_pages(struct ahead *ahead, uint64_t page);

/* The pages from PAGE to END were opened. */
void ahead_opened(struct ahead *ahead, uint64_t page, uint64_t end);

#endif
