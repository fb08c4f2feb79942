/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - the machines of a run as a ring: each node's file of a set has a copy on the next one.
 *
 * A machine is known by its name.  Its first node leads it: it keeps the folder there.
 */
#ifndef CAPE_SAVE_RING_H
#define CAPE_SAVE_RING_H

#include "base/node.h"

struct ring {
	int machines;
	int *leader; /* of each machine, ascending: node 0 is the first */
	int *of;     /* by node: its machine */
	int *to;     /* by node: who keeps the copy of its file; below 0: nobody */
};

/* All nodes together.  0, -ENOMEM, or -ECANCELED: the run fails. */
int ring_find(struct node *node, struct ring *ring);
void ring_free(struct ring *ring);

/* Who leads the machine of NODE. */
int ring_leader(const struct ring *ring, int node);

#endif
