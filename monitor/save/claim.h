/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * claim.h - a run's claim on the folder that it is saved to: all nodes have that folder, or each
 * machine one of its own, what is saved in it is the run's own, and no other run saves there.
 */
#ifndef CAPE_SAVE_CLAIM_H
#define CAPE_SAVE_CLAIM_H

#include "base/node.h"
#include "ring.h"

struct claim {
	uint64_t run;	/* the same in all files of the run */
	uint64_t first; /* the number of its first set */
	int lock;	/* of who leads the machine, or below 0 */
};

/*
 * All nodes together; RING, or NULL: all machines share the folder.  What dead runs have left of
 * sets that are not complete goes.  0, -ENOMEM, or -ECANCELED: the run fails, of which another
 * monitor may have to tell this one yet.
 */
int claim_folder(struct node *node, const struct ring *ring, struct claim *claim);

void claim_leave(const struct node *node, struct claim *claim);

#endif
