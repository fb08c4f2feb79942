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

/* A node whose program has ended without the sync point at which this node's waits, or -1. */
int life_first_missing(const struct node *node);

/* The program asked for the end (CAPE_REQUEST_FAIL). */
void life_fail_by_request(struct node *node);

/*
 * Tells others how the run ended or failed.  Returns the exit status of this monitor; collective.
 * Leaves MPI in order or not at all.
 */
int life_end(struct node *node);

#endif
