/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conflict.h - data races that the program's run time found, in the words of the source.
 */
#ifndef CAPE_NODE_CONFLICT_H
#define CAPE_NODE_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/node.h"

/* Bytes of the description of a race. */
#define CONFLICT_TEXT 1536

/* --races: ends the run with the channel's conflict. */
void conflict_end(struct node *node);

/* --check-races: reports the channel's conflict, unless it was reported before. */
void conflict_race(struct node *node);

/* The run has failed: what race this node has seen since the last sync point, if it has. */
bool conflict_left(const struct node *node, char *text, size_t size);

/* At the end: how many there were.  The exit status of a run whose programs end with STATUS. */
int conflict_status(struct node *node, int status);

#endif
