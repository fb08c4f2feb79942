/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_connect.h - the sockets between node 0's monitor and all others, made at the start.
 */
#ifndef CAPE_SERVICE_CONNECT_H
#define CAPE_SERVICE_CONNECT_H

#include "node.h"

#define SERVICE_HOST_SIZE 65

/* Another monitor. */
struct service_peer {
	int socket; /* or -1 */
	char host[SERVICE_HOST_SIZE];
};

/*
 * Connects all monitors with node 0's; collective.  Node 0 gets PEER by rank, the others their
 * one in PEER[0].  Over a Unix socket on the same machine, else TCP to whichever of node 0's
 * addresses answers first, which breaks when the other machine is silent for too long.  WHY is
 * filled with what failed here, for the user, or is empty.
 */
void service_connect(struct node *node, struct service_peer *peer, char *why, size_t why_size);

#endif
