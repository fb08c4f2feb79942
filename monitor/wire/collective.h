/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collective.h - node 0's bytes to all nodes, and all nodes' to node 0.
 *
 * All nodes call these in the same order.  0, -ENOMEM, or -ECANCELED when the run has failed
 * meanwhile.
 */
#ifndef CAPE_MONITOR_COLLECTIVE_H
#define CAPE_MONITOR_COLLECTIVE_H

#include "wire.h"

/*
 * SIZE bytes of node 0's, which all know how many they are.  What this node sends is added to
 * *SENT, unless that is NULL.
 */
int collective_broadcast(struct wire *wire, void *bytes, uint64_t size, uint64_t *sent);

/* SIZE bytes of every node to node 0's ALL, which others do not use, in the order of nodes. */
int collective_gather(struct wire *wire, const void *own, size_t size, void *all);

/* The same to ALL of every node. */
int collective_gather_to_all(struct wire *wire, const void *own, size_t size, void *all);

#endif
