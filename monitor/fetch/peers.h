/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peers.h - connections between programs (libcape/channel/peers.h).
 */
#ifndef CAPE_MONITOR_PEERS_H
#define CAPE_MONITOR_PEERS_H

#include "base/node.h"

/* Before the program's process is made: there are none. */
void peers_prepare(struct node *node);

/*
 * Connects all programs, where they exchange by need and share no memory; collective, after
 * fetch_start().  0 or -errno.
 */
int peers_start(struct node *node);

/* The program has them. */
void peers_give(struct node *node);
void peers_stop(struct node *node);

#endif
