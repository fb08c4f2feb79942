/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patience.h - waiting for MPI without burning the processor that a program could use.
 *
 * Open MPI polls.  A wait begins with polling, yields, and then sleeps longer and longer; it
 * also looks after the program and the other nodes, so that no wait outlives the run.
 */
#ifndef CAPE_PATIENCE_H
#define CAPE_PATIENCE_H

#include "base/node.h"
#include "wire/wire.h"

/* To be called when nothing moved: waits a little.  Not 0 when the run has failed meanwhile. */
int patience_pass(struct node *node, struct patience *patience);

/* The same, as a wire calls it. */
int patience_idle(void *context, struct patience *patience);

#endif
