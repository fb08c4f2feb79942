/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * push.h - from each node to those that it has something for.
 */
#ifndef CAPE_PUSH_H
#define CAPE_PUSH_H

#include "channel/channel.h"
#include "wire.h"

struct push;

/* NULL: out of memory.  WIRE and CHANNEL must outlive it. */
struct push *push_start(struct wire *wire, struct cape_channel *channel);
void push_stop(struct push *push);

/*
 * Carries out CAPE_REQUEST_PUSH: who expects something of whom is known to both, how much to the
 * sender.  What comes is put to the in area after its first *USED bytes, which counts it then; a
 * node waits for none but those that it expects something of.  0; -EINVAL: a part of the out area
 * that is none, or one for the node itself; -EPROTO: another node sent what this one did not
 * expect; -ENOMEM: the in area is full; or -ECANCELED when the run has failed meanwhile.
 */
int push_exchange(struct push *push, uint64_t *used);

/*
 * The same, in two steps: what this node has for others begins to go; and it is sent, and what
 * others have for this one is here.  Who has is to be known in between.
 */
int push_begin(struct push *push);
int push_end(struct push *push, uint64_t *used);

#endif
