/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_connect.h - the sockets between node 0's monitor and all others, made at the start.
 */
#ifndef CAPE_SERVICE_CONNECT_H
#define CAPE_SERVICE_CONNECT_H

#include "common/invitation.h"
#include "base/node.h"

/*
 * Connects all monitors with node 0's; collective.  Node 0 gets PEER by rank, the others their
 * one in PEER[0].  Over a Unix socket on the same machine, else TCP to whichever of node 0's
 * addresses answers first, which breaks when the other machine is silent for too long.  WHY is
 * filled with what failed here, for the user, or is empty.
 */
void service_connect(struct node *node, struct peer *peer, char *why, size_t why_size);

#endif
