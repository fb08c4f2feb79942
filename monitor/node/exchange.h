/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exchange.h - what moves between the nodes at the programs' request.
 */
#ifndef CAPE_NODE_EXCHANGE_H
#define CAPE_NODE_EXCHANGE_H

#include "base/node.h"

/* 0 or -ENOMEM. */
int exchange_start(struct node *node);
void exchange_stop(struct node *node);

/*
 * Carries out REQUEST, one of those that move the channel's out and in areas, and replies to the
 * program; when that fails, the run does.
 */
void exchange_serve(struct node *node, enum cape_channel_request request);

/* CAPE_REQUEST_PUSH, the same, but not all nodes need take part. */
void exchange_push(struct node *node);

#endif
