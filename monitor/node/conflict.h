/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conflict.h - data races that the program's run time found, in the words of the source.
 */
#ifndef CAPE_NODE_CONFLICT_H
#define CAPE_NODE_CONFLICT_H

#include "base/node.h"

/* --races: ends the run with what the channel's conflict tells. */
void conflict_end(struct node *node);

/* --check-races: says what the channel's conflict tells, unless that was said before. */
void conflict_race(struct node *node);

/* The run has failed: says what race was seen since the last sync point, once on each machine. */
void conflict_left(const struct node *node);

/* At the end: how many there were.  The exit status of a run whose programs end with STATUS. */
int conflict_status(struct node *node, int status);

#endif
