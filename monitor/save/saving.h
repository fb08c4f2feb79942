/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * saving.h - saving a run: each node's monitor writes what its program has listed, and node 0's,
 * when all have, the file that makes the set complete.
 */
#ifndef CAPE_SAVE_SAVING_H
#define CAPE_SAVE_SAVING_H

#include "base/node.h"

/*
 * All nodes: before the program starts, if the run is to be saved.  0, -ENOMEM, or -ECANCELED:
 * the run fails, of which node 0's monitor may have to tell this one yet.
 */
int save_start(struct node *node);

/* The program has asked CAPE_REQUEST_SNAPSHOT. */
void save_request(struct node *node);

/* What is being written is given up. */
void save_stop(struct node *node);

#endif
