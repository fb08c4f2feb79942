/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transport.h - every node's bytes to every node.
 */
#ifndef CAPE_TRANSPORT_H
#define CAPE_TRANSPORT_H

#include "node.h"

int transport_start(struct node *node);
void transport_stop(struct node *node);

/*
 * Sends the channel's out area to all nodes and fills its in area with theirs; collective.
 * Small messages travel by recursive doubling, large ones along the ring.  0, -ENOMEM, -EPROTO
 * when nodes disagree about what is exchanged, or -ECANCELED when the run has failed meanwhile.
 */
int transport_exchange(struct node *node);

#endif
