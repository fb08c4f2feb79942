/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fetch.h - pages that stay with the node that changed them until another one asks for them: what
 * a program and its monitor share in runs that exchange by need, in place of channel/capture.h.
 *
 * A program that needs such pages puts them, in stretches, to CAPE_CHANNEL_WANTED, says of whom in
 * channel->fetch and asks CAPE_REQUEST_FETCH; the owner's monitor reads them from its own program,
 * which computes on, and the reader's puts them to CAPE_CHANNEL_FETCHED, one after the other.
 *
 * What the owner's monitor served is in a table.  For each page it first writes the entry, not
 * READY, and raises channel->fetch.served; then it reads the program's memory; then the entry is
 * READY.  So the program, which looks at the table when all nodes have come to its sync point, sees
 * who has which page, and, when it has waited for READY, what exactly was sent.  The program sets
 * SERVED to 0 before it raises its version, when nobody asks for the old one any more; the monitor
 * then begins the table anew.
 *
 * A fetch of a version that the program has not reached makes the monitor set
 * channel->fetch.awaited and, after a full barrier, look at the version again; the program, after
 * a full barrier after it raised the version, takes AWAITED away and rings the bell if it was set.
 */
#ifndef CAPE_FETCH_H
#define CAPE_FETCH_H

#include <stdint.h>
#include "channel/channel.h"
#include "channel/range.h"

/* Offsets in the channel. */
#define CAPE_CHANNEL_FETCHED	  (2ull << 40)
#define CAPE_CHANNEL_SERVED	  (CAPE_CHANNEL_FETCHED + (1ull << 38)) /* struct cape_served[] */
#define CAPE_CHANNEL_SERVED_PAGES (CAPE_CHANNEL_SERVED + (1ull << 36))
/* struct cape_range[] */
#define CAPE_CHANNEL_WANTED (CAPE_CHANNEL_SERVED_PAGES + (1ull << 38))

#define CAPE_FETCH_PAGE	     4096ull
#define CAPE_FETCH_PAGES     4096u	/* of one fetch at most, */
#define CAPE_FETCH_STRETCHES 1024u	/* in so many stretches */
#define CAPE_SERVED_LIMIT    (1u << 26) /* entries; as many pages */

/* A page that was sent to another node. */
struct cape_served {
	uint64_t address;
	uint32_t reader; /* the node that asked */
	uint32_t ready;	 /* its page is at CAPE_CHANNEL_SERVED_PAGES, as it was sent */
};

static inline unsigned char *cape_channel_fetched(struct cape_channel *channel)
{
	return (unsigned char *)channel + CAPE_CHANNEL_FETCHED;
}

static inline struct cape_range *cape_channel_wanted(struct cape_channel *channel)
{
	return (struct cape_range *)((char *)channel + CAPE_CHANNEL_WANTED);
}

static inline struct cape_served *cape_channel_served(struct cape_channel *channel)
{
	return (struct cape_served *)((char *)channel + CAPE_CHANNEL_SERVED);
}

/* What entry WHICH of the table sent. */
static inline unsigned char *cape_channel_served_page(struct cape_channel *channel, uint64_t which)
{
	return (unsigned char *)channel + CAPE_CHANNEL_SERVED_PAGES + which * CAPE_FETCH_PAGE;
}

#endif
