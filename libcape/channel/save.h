/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * save.h - saving a program, and giving it back what was saved: what it and its monitor share.
 *
 * At the end of a region a program that is to be saved makes a process that has its memory and only
 * waits; it puts struct cape_saved to the out area, and after it what that says, and asks
 * CAPE_REQUEST_SNAPSHOT.  The monitor takes the list, answers, and has the memory of that process
 * written while the program goes on.
 *
 * A program that goes on from there asks CAPE_REQUEST_RESTORE until a piece is CAPE_PIECE_END; each
 * time the in area is struct cape_piece after struct cape_piece.  State comes with its bytes after
 * it, each kind by itself.  Of memory the program makes room for what is listed, and puts to
 * the out area what of that it wants, struct cape_range after struct cape_range in the order of the
 * pieces; the monitor writes this to the program's memory before it answers the next request.
 */
#ifndef CAPE_SAVE_CHANNEL_H
#define CAPE_SAVE_CHANNEL_H

#include <stdint.h>
#include "channel/channel.h"
#include "channel/range.h"

enum cape_save_kind {
	CAPE_SAVE_WHOLE = 1,
	CAPE_SAVE_INCREMENT = 2, /* what changed since the last time, which all nodes have saved */
	CAPE_SAVE_ASKED = 3,	 /* inside a region: nodes are to say whether they can */
};

/* After it: struct cape_range[ranges], then the bytes of each kind, padded to 8. */
struct cape_saved {
	uint64_t resume;     /* the address of the registers by which the program goes on */
	uint64_t ranges;     /* of memory, in any order; they may overlap */
	uint64_t loaded;     /* bytes: what was loaded where */
	uint64_t state;	     /* what the run time keeps, the same on all nodes */
	uint64_t node_state; /* this node's alone */
	uint64_t in_region;  /* 1: inside a region, where each node goes on by itself */
};

enum cape_piece_kind {
	CAPE_PIECE_LOADED, /* in this order; first of all what was loaded where */
	CAPE_PIECE_STATE,
	CAPE_PIECE_NODE_STATE, /* of the node ADDRESS, if it was there: this one, or one that is a
				* thread of this one now */
	CAPE_PIECE_MEMORY,     /* SIZE bytes at ADDRESS are not here, but can be had */
	CAPE_PIECE_ZEROS,      /* they are zeros */
	CAPE_PIECE_OWN, /* inside a region: from here on memory of this node alone is listed */
	CAPE_PIECE_END,
};

struct cape_piece {
	uint64_t kind;
	uint64_t address;
	uint64_t size;
};

static inline uint64_t cape_saved_padded(uint64_t size)
{
	return (size + 7) & ~7ull;
}

#endif
