/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.h - standard input: every node's program reads what node 0 was given.
 */
#ifndef CAPE_MONITOR_INPUT_H
#define CAPE_MONITOR_INPUT_H

#include "base/node.h"

/* Before the fork: makes what will be the program's standard input.  0 or -errno. */
int input_start(struct node *node);
void input_stop(struct node *node);

/* In the child: the descriptor to be the program's standard input. */
int input_of_program(const struct node *node);

/*
 * Before the program starts: an input that is a file is read whole and given to all, another one is
 * passed on from now on.  Collective.
 */
void input_prepare(struct node *node);

/* Node 0's monitor: SIZE bytes have come; 0: that was all. */
void input_take(struct node *node, const void *bytes, size_t size);

/* Whether all that came has gone to the other nodes. */
bool input_is_flushed(const struct node *node);

#endif
