/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * life.h - how programs end, and how the run ends with them.
 */
#ifndef CAPE_LIFE_H
#define CAPE_LIFE_H

#include "base/node.h"

int life_start(struct node *node);
void life_stop(struct node *node);

/* Deals with this node's program alone: its stops, if it is traced, and its end. */
void life_look_at_program(struct node *node);

/* Looks whether this node's program has ended, and what other monitors say of theirs. */
void life_look(struct node *node);

/* Whether the run is over: every program came to its end, or the run has failed. */
bool life_over(const struct node *node);

/* The run fails if another node's program has ended without the sync point that this one's is at.
 */
void life_look_who_left(struct node *node);

/* The program asked for the end (CAPE_REQUEST_FAIL). */
void life_fail_by_request(struct node *node);

/*
 * Tells others how the run ended or failed.  Returns the exit status of this monitor; collective.
 * After a failure it does not return, but leaves without the wire's farewell.
 */
int life_end(struct node *node);

#endif
