/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.h - standard input: every node's program reads what node 0 was given.
 */
#ifndef CAPE_INPUT_H
#define CAPE_INPUT_H

#include "node.h"

/* Before the fork: makes what will be the program's standard input.  0 or -errno. */
int input_start(struct node *node);

/* In the child: the descriptor to be the program's standard input. */
int input_of_program(const struct node *node);

/* Before the program starts: an input that is a file is read whole and given to all. Collective. */
void input_prepare(struct node *node);

/* While the program runs: passes on what came, to the other nodes and to this one's program. */
void input_pass_on(struct node *node);

/* On other nodes than the master: takes what its monitor has sent. */
void input_receive(struct node *node);

#endif
