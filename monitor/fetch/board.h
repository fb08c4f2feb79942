/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board.h - memory that the programs of a run on one machine share (channel/board.h).
 */
#ifndef CAPE_FETCH_BOARD_H
#define CAPE_FETCH_BOARD_H

#include "base/node.h"
#include "common/invitation.h"

/*
 * Where all monitors are on one machine they get the same memory, NODE->board_file; else none does.
 * Collective; PEER is mesh_connect()'s.  0 or -errno, of which the others do not know.
 */
int board_share(struct node *node, const struct peer *peer);

#endif
