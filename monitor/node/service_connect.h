/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_connect.h - the sockets between node 0's monitor and all others, made at the start.
 */
#ifndef CAPE_SERVICE_CONNECT_H
#define CAPE_SERVICE_CONNECT_H

#include "node.h"

/*
 * Connects all monitors with node 0's; collective.  Node 0 gets SOCKETS by rank, the others
 * their one in SOCKETS[0]; -1 where there is none.  Over a Unix socket on the same machine, else
 * TCP to whichever of node 0's addresses answers first.  WHY is filled with what failed here,
 * for the user, or is empty.
 */
void service_connect(struct node *node, int *sockets, char *why, size_t why_size);

#endif
