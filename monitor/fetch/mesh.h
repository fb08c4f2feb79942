/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mesh.h - the sockets between every two monitors, made at the start.
 */
#ifndef CAPE_FETCH_MESH_H
#define CAPE_FETCH_MESH_H

#include "base/node.h"
#include "common/invitation.h"

/*
 * Connects all monitors; collective.  PEER is filled by rank, but for this node's own, in the ways
 * that service/service_connect.h tells of.  0, or -errno; when this node could not reach another
 * one, the run has failed and -ECANCELED is returned.
 */
int mesh_connect(struct node *node, struct peer *peer);

#endif
