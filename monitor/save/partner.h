/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partner.h - copies of a set on other machines' disks: of each node's file on the next machine of
 * the ring, of the file for all nodes on every one.
 */
#ifndef CAPE_SAVE_PARTNER_H
#define CAPE_SAVE_PARTNER_H

#include "base/node.h"
#include "ring.h"

struct partner;

/* RING, of two machines or more, is PARTNER's to free, also when this fails.  0 or -ENOMEM. */
int partner_start(struct node *node, struct ring *ring, struct partner **partner);

/* This node's file of set NUMBER goes to its partner. */
void partner_copy(struct node *node, struct partner *partner, uint64_t number);

/* Node 0: the file that makes set NUMBER complete goes to all machines, one after the other. */
void partner_spread(struct node *node, struct partner *partner, uint64_t number);

/* Sends and receives; *OVER: what was begun with one of those has ended.  Whether something moved.
 */
bool partner_look(struct node *node, struct partner *partner, bool *over);

/* What came of it: NULL, or the error for the user, and *ERROR is -errno. */
const char *partner_error(const struct partner *partner, int *error);

/* Node 0 informs all machines: set NUMBER is complete, or is removed. */
void partner_tell(struct node *node, struct partner *partner, uint64_t number, bool complete);

/* What is under way is given up; sets that are not complete are removed, up to NUMBER. */
void partner_stop(struct node *node, struct partner *partner, uint64_t number);

#endif
