/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - what programs print reaches the user through node 0's monitor, in order.
 */
#ifndef CAPE_MONITOR_OUTPUT_H
#define CAPE_MONITOR_OUTPUT_H

#include "base/node.h"

/* Before the fork: makes the two pipes.  0 or -errno. */
int output_start(struct node *node);
/* Once the number of nodes is known: from now on what is printed is passed on.  0 or -ENOMEM. */
int output_start_receiving(struct node *node);
void output_stop(struct node *node);

/*
 * Takes what the program has printed until now, and passes it on without waiting: it is counted in
 * node->output_sent, and comes to the user before whatever is taken later.
 */
void output_drain(struct node *node);

/* The program has ended: takes what it has printed; who else prints there prints to nobody. */
void output_close(struct node *node);

/* Whether the monitor of node WHICH has been heard as far as the SENT bytes it had sent. */
bool output_is_here(struct node *node, int which, uint64_t sent);

/*
 * Node 0's monitor: waits for that.  0, or -ECANCELED when the run has failed meanwhile.
 */
int output_await(struct node *node, int which, uint64_t sent);

/* The same at the run's failure: for a while, however late the reader is. */
void output_await_last(struct node *node, int which, uint64_t sent);

/* Whether node 0's monitor has received all that was taken here. */
bool output_is_flushed(const struct node *node);

#endif
