/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - what programs print reaches the user through the master's monitor, in order.
 */
#ifndef CAPE_OUTPUT_H
#define CAPE_OUTPUT_H

#include "node.h"

/* Before the fork: makes the two pipes.  0 or -errno. */
int output_start(struct node *node);
/* Once the number of nodes is known.  0 or -ENOMEM. */
int output_start_receiving(struct node *node);
void output_stop(struct node *node);

/* Passes on what the program has printed until now. */
void output_drain(struct node *node);

/* The master's monitor: writes out what other nodes' programs printed, as far as it is here. */
void output_receive(struct node *node);

/*
 * The master's monitor: does so until it has all SENT bytes that NODE's monitor had sent when it
 * came to the sync point.  0, or -ECANCELED when the run has failed meanwhile.
 */
int output_await(struct node *node, int which, uint64_t sent);

#endif
