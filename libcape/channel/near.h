/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * near.h - pages that a program reads from the memory of another one on its machine, without their
 * monitors: where there is a board, and as long as the system lets it.  Else, and while the owner
 * has not come to the version that is needed, they are fetched as channel/fetch.h tells.
 *
 * Who reads first takes a place in the owner's table, then reads, then says that the entry is
 * READY, in the owner's round: so the owner, when it has come to its sync point, sees that somebody
 * reads, waits until that is done, and sees what exactly was read.  It begins a new round, with an
 * empty table, before it raises its version, when nobody needs the old one any more.
 */
#ifndef CAPE_NEAR_H
#define CAPE_NEAR_H

#include <stdint.h>
#include "channel/board.h"
#include "channel/fetch.h"

/* Over what the channel has before the board; the same place after the end of that in the file. */
#define CAPE_CHANNEL_NEAR (CAPE_CHANNEL_WANTED + (1ull << 30))

#define CAPE_NEAR_NODES 64u	     /* at most; those of larger runs fetch from each other */
#define CAPE_NEAR_PAGES (1u << 18)   /* of a round at most */
#define CAPE_NEAR_SIZE	(1ull << 31) /* of a node's part: its state, the table, what was read */

/* Small pieces of a node's memory that it posts at a version, for those who copy them then. */
#define CAPE_NEAR_POSTS	 2u /* versions of which there is a post */
#define CAPE_NEAR_PIECES 8u
#define CAPE_NEAR_BYTES	 1600u

struct cape_near_post {
	uint64_t version; /* all nodes' then; 0: there is none */
	uint64_t pieces;
	struct cape_range piece[CAPE_NEAR_PIECES];
	unsigned char bytes[CAPE_NEAR_BYTES]; /* one piece after the other */
} __attribute__((aligned(64)));

/* Offsets in a node's part. */
#define CAPE_NEAR_TABLE	 CAPE_FETCH_PAGE
#define CAPE_NEAR_MEMORY (CAPE_NEAR_SIZE - CAPE_NEAR_PAGES * CAPE_FETCH_PAGE)

#define CAPE_NEAR_FILE_SIZE (CAPE_BOARD_SIZE + CAPE_NEAR_NODES * CAPE_NEAR_SIZE)

/* Nobody has what an entry tells of. */
#define CAPE_NEAR_NOBODY UINT32_MAX

/* Of a node's program, which writes it, but for SERVED and SLEEPING. */
struct cape_near {
	uint64_t version;   /* as in struct cape_channel_fetch */
	uint64_t processes; /* the name space in which PROGRAM is one; 0: not known */
	uint32_t program;   /* the process; 0: there is none to be read */
	uint32_t round;	    /* READY of the table's entries */
	uint32_t served;    /* entries of the table */
	uint32_t sleeping;  /* programs that wait for one of the two numbers */
	uint64_t brought;   /* the version of which the program has copied all that it will */
	struct cape_near_post post[CAPE_NEAR_POSTS]; /* of version N: N modulo these */
};

_Static_assert(sizeof(struct cape_near) <= CAPE_NEAR_TABLE, "its state ends before the table");
_Static_assert(CAPE_CHANNEL_NEAR + CAPE_NEAR_NODES * CAPE_NEAR_SIZE <= CAPE_CHANNEL_BOARD,
	       "it ends before the board");
_Static_assert(CAPE_NEAR_TABLE + CAPE_NEAR_PAGES * sizeof(struct cape_served) <= CAPE_NEAR_MEMORY,
	       "the table ends before the pages");

static inline struct cape_near *cape_near_of(struct cape_channel *channel, uint32_t node)
{
	return (struct cape_near *)((char *)channel + CAPE_CHANNEL_NEAR + node * CAPE_NEAR_SIZE);
}

static inline struct cape_served *cape_near_table(struct cape_near *near)
{
	return (struct cape_served *)((char *)near + CAPE_NEAR_TABLE);
}

/* What entry WHICH of the table tells of. */
static inline unsigned char *cape_near_page(struct cape_near *near, uint64_t which)
{
	return (unsigned char *)near + CAPE_NEAR_MEMORY + which * CAPE_FETCH_PAGE;
}

/* Program: whether programs read from each other. */
bool cape_near_is_open(const struct cape_channel *channel);

/* Program: its table is empty from now on, and its version VERSION. */
void cape_near_begin(struct cape_channel *channel, uint64_t version);

/* The version alone. */
void cape_near_raise(struct cape_channel *channel, uint64_t version);

/*
 * Program: PAGES, those of the stretches at CAPE_CHANNEL_WANTED, of channel->fetch.owner's memory,
 * one after the other; NULL: they have to be fetched.
 */
const unsigned char *cape_near_read(struct cape_channel *channel, uint32_t pages);

/*
 * Program: COUNT pieces of NODE's memory, RANGE, to where they are here, when it has come to this
 * one's version; nobody takes note of that.  0, or -errno.
 */
int cape_near_copy(struct cape_channel *channel, uint32_t node, const struct cape_range *range,
		   uint32_t count);

/*
 * Program: posts COUNT pieces of its memory with its next version, if they are small; when others
 * copy nothing any more of the version before this one.
 */
void cape_near_post(struct cape_channel *channel, const struct cape_range *range, size_t count);

/* Program: what it has posted with this version is no longer what memory holds. */
void cape_near_withdraw(struct cape_channel *channel);

/*
 * Program: it copies nothing of this version any more.  await: until NODE's program says so of
 * VERSION.
 */
void cape_near_brought(struct cape_channel *channel);
void cape_near_await_brought(struct cape_channel *channel, uint32_t node, uint64_t version);

/* Program: until the programs of all nodes have come to this one's version. */
void cape_near_await_all(struct cape_channel *channel);

/* Whether it could read PIECE so. */
bool cape_near_can_copy(struct cape_channel *channel, uint32_t node, struct cape_range piece);

/* Program: waits until ENTRY of its table is ready. */
void cape_near_await(const struct cape_near *near, const struct cape_served *entry);

#endif
