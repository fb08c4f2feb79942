/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bring.h - going on from a set that was saved with --partner: every machine gets what it lacks of
 * the set, and of those that it goes on from, from another one.
 */
#ifndef CAPE_SAVE_BRING_H
#define CAPE_SAVE_BRING_H

#include "base/node.h"

/* All nodes together.  0, -ENOMEM, or -ECANCELED: the run has failed, or does elsewhere. */
int bring_set(struct node *node);

#endif
