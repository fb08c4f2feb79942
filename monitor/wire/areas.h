/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * areas.h - the parts of the channel whose bytes travel: what this node sends, and what came.
 */
#ifndef CAPE_AREAS_H
#define CAPE_AREAS_H

#include "channel/channel.h"

static inline unsigned char *areas_out(struct cape_channel *channel)
{
	return (unsigned char *)channel + CAPE_CHANNEL_OUT;
}

static inline unsigned char *areas_in(struct cape_channel *channel)
{
	return (unsigned char *)channel + CAPE_CHANNEL_IN;
}

#endif
