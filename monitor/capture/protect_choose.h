/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protect_choose.h - which protection a run takes.
 */
#ifndef CAPE_PROTECT_CHOOSE_H
#define CAPE_PROTECT_CHOOSE_H

#include "base/node.h"

/*
 * Sets node->options.protection, the user's choice or NULL, to what the method gets; alike on all
 * nodes.  Collective.  What cannot be has the run fail.
 */
void protect_choose(struct node *node);

#endif
