/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * said.h - CAPE_SECTION_NEED of a message: what its node says of pages.
 */
#ifndef CAPE_NEED_SAID_H
#define CAPE_NEED_SAID_H

#include <stdint.h>
#include "channel/range.h"

enum cape_said_list {
	CAPE_SAID_CLAIMED,   /* this node alone has what they are from now on */
	CAPE_SAID_FETCHED,   /* it holds them, too */
	CAPE_SAID_PUBLISHED, /* its pages, which become common: all of them is sent, or all have it
			      */
	CAPE_SAID_WRITTEN,   /* pages held by others, too, to whom it pushes what it changed */
	CAPE_SAID_UNREAD, /* pages that were pushed to it, and claimed again before it read them */
	CAPE_SAID_PUSHED, /* its pages, which it pushes whole to others, who hold them then */
	CAPE_SAID_LISTS,
};

struct cape_need_said {
	uint64_t threads;		 /* 1: its program has made threads */
	uint64_t count[CAPE_SAID_LISTS]; /* how many of RANGE are of each list, in their order */
	/*
	 * After them, in words of bits (memory/node_set.h): to whom something will be pushed;
	 * then, for each that is pushed whole, to whom.
	 */
	struct cape_range range[];
};

#endif
