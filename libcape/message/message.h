/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * message.h - what a node says at a sync point: a header, then its sections one after the other,
 * each padded to 8 bytes.  The core's compact encoding is the first two.
 */
#ifndef CAPE_MESSAGE_H
#define CAPE_MESSAGE_H

#include <stddef.h>
#include <stdint.h>
#include "channel/channel.h"

enum cape_sync_kind {
	CAPE_SYNC_START,   /* all programs have started: are they alike? */
	CAPE_SYNC_BARRIER, /* inside a region */
	CAPE_SYNC_END,	   /* the end of a region */
	CAPE_SYNC_OUTSIDE, /* this node is not in the team; it waits for the region's end */
	CAPE_SYNC_VERIFY,  /* are the memories alike? */
	CAPE_SYNC_CHECK,   /* which accesses does nothing order? */
	CAPE_SYNC_TRUTH,   /* sequential code asks for what node 0 knows */
	CAPE_SYNC_SHARE,   /* sequential code reaches what one node has (need/) */
	CAPE_SYNC_MEETING, /* inside a region, between two chunks of a loop */
};

enum cape_section {
	CAPE_SECTION_TABLE, /* run table, checkpoint/wire.h */
	CAPE_SECTION_DATA,  /* the runs' bytes */
	/* checkpoint/exact.h: instead of these two, or what others own (need/) */
	CAPE_SECTION_EXACT,
	CAPE_SECTION_REDUCTION,
	CAPE_SECTION_COPYPRIVATE,
	CAPE_SECTION_FILES,	/* what was written to open files */
	CAPE_SECTION_REGISTERS, /* general, floating-point and vector registers */
	CAPE_SECTION_NEED,	/* what becomes of pages (need/said.h) */
	CAPE_SECTION_FREE,	/* whatever the kind of sync point needs */
	CAPE_SECTIONS_COUNT,
};

struct cape_message {
	uint64_t sequence;
	uint32_t kind;
	int32_t line; /* of the sync point */
	char file[48];
	uint64_t time_stamp;
	uint64_t published; /* entries that this node added to the log since the run began */
	uint64_t exact;	    /* 1: the changes are an exact section */
	uint32_t save;	    /* node 0: how the run is saved here (enum cape_save_kind), or 0 */
	uint32_t fit;	    /* asked: not 0, and alike on nodes that can be saved together here */
	uint64_t known;	    /* what a loop was known to write, as a number; 0: not known */
	uint64_t took;	    /* the exchange before this one, in nanoseconds; 0: nobody asks */
	uint64_t size[CAPE_SECTIONS_COUNT];
};

static inline uint64_t cape_message_padded(uint64_t size)
{
	return (size + 7) & ~7ull;
}

/* Building this node's message in the channel's out area. */
struct cape_message_writer {
	struct cape_channel *channel;
	unsigned char *start;
	uint64_t used;
};

void cape_message_begin(struct cape_message_writer *writer, struct cape_channel *channel,
			enum cape_sync_kind kind);
struct cape_message *cape_message_header(const struct cape_message_writer *writer);
/* Where SIZE bytes of SECTION go; sections come in their order.  NULL when there is no room. */
void *cape_message_section(struct cape_message_writer *writer, enum cape_section section,
			   uint64_t size);
void cape_message_end(struct cape_message_writer *writer);

/* One node's message (this node's own stays in the out area); NULL when its sizes do not fit. */
const struct cape_message *cape_message_of(const struct cape_channel *channel, uint32_t node);
const unsigned char *cape_message_get(const struct cape_message *message,
				      enum cape_section section);

#endif
