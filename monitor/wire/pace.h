/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pace.h - how long bytes take from node to node.
 */
#ifndef CAPE_PACE_H
#define CAPE_PACE_H

#include "wire.h"

/*
 * Nanoseconds that 1,000 bytes take on the slowest way along the chain of nodes, measured: the same
 * on all of them.  Collective.  0, -ENOMEM or -ECANCELED.
 */
int wire_pace(struct wire *wire, uint64_t *nanoseconds);

#endif
