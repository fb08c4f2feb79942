/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * distribute.h - between the master and the others: for the models scatter and master-slave.
 */
#ifndef CAPE_DISTRIBUTE_H
#define CAPE_DISTRIBUTE_H

#include "channel/channel.h"
#include "wire.h"

/*
 * All three: 0, -ENOMEM, -EPROTO when nodes disagree about what is sent, or -ECANCELED when the
 * run has failed meanwhile.  Every node calls them in the same order; only the broadcast waits for
 * all of them.
 */

/*
 * The others' out areas to the master's in area, each where channel->in says, and their NOTE to
 * its NOTES (used by the master alone), which has room for all nodes'.
 */
int distribute_gather(struct wire *wire, struct cape_channel *channel, uint64_t note,
		      uint64_t *notes);

/* The master's out area to the others' in areas, where channel->in[0] says. */
int distribute_broadcast(struct wire *wire, struct cape_channel *channel);

/* Part N of the master's out area (struct cape_channel_message at its begin) to node N, too;
 * nodes with an empty part do not call it. */
int distribute_scatter(struct wire *wire, struct cape_channel *channel);

#endif
