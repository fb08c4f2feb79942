/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * distribute.h - between the master and the others: for the models scatter and master-slave.
 */
#ifndef CAPE_DISTRIBUTE_H
#define CAPE_DISTRIBUTE_H

#include "node.h"

/*
 * All three: 0, -ENOMEM, -EPROTO when nodes disagree about what is sent, or -ECANCELED when the
 * run has failed meanwhile.  Every node calls them in the same order; only the broadcast waits for
 * all of them.
 */

/* The others' out areas to the master's in area, each where channel->in says. */
int distribute_gather(struct node *node);

/* The master's out area to the others' in areas, where channel->in[0] says. */
int distribute_broadcast(struct node *node);

/* Part N of the master's out area (struct cape_channel_message at its begin) to node N, likewise;
 * nodes with an empty part do not call it. */
int distribute_scatter(struct node *node);

#endif
