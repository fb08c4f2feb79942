/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch.h - pages that a program asks of another node's, and those that are asked of its own.
 */
#ifndef CAPE_MONITOR_FETCH_H
#define CAPE_MONITOR_FETCH_H

#include "base/node.h"

/*
 * Connects all monitors, in a run that exchanges by need; collective.  0 or -errno; where others
 * cannot be reached, the run has failed.
 */
int fetch_start(struct node *node);
void fetch_stop(struct node *node);

/* CAPE_REQUEST_FETCH: the program is replied to once the pages are here. */
void fetch_request(struct node *node);

/* The program rang the bell: its version may be what a fetch waits for. */
void fetch_look_at_version(struct node *node);

#endif
