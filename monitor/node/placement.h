/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement.h - which node runs on which processors of which machine.
 */
#ifndef CAPE_NODE_PLACEMENT_H
#define CAPE_NODE_PLACEMENT_H

#include "base/node.h"

/*
 * All nodes call it.  Node 0 reports to the user, if the options ask for it, where each node is,
 * and in one line where nodes have fewer processors than they are.
 */
void placement_tell(struct node *node);

#endif
