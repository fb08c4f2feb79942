/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept.h - --save-checkpoints: the program's checkpoints, as files.
 */
#ifndef CAPE_NODE_KEPT_H
#define CAPE_NODE_KEPT_H

#include "base/node.h"

/*
 * If that is asked for, writes the checkpoint that the channel's out area holds, if it does, to a
 * file of its own.  When that fails, a message says so, and no more are kept.
 */
void kept_add(struct node *node);

#endif
