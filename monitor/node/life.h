/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * life.h - how programs end, and how the run ends with them.
 */
#ifndef CAPE_LIFE_H
#define CAPE_LIFE_H

#include <signal.h>
#include "base/node.h"

/*
 * From now on ends of programs, of the launcher and of the run are noticed.  SIGNALS are blocked. 0
 * or -errno.
 */
int life_start(struct node *node, const sigset_t *signals);
void life_stop(struct node *node);

/* Whether the run is over: every program came to its end, or the run has failed. */
bool life_over(const struct node *node);

/* The program asked for the end (CAPE_REQUEST_FAIL). */
void life_fail_by_request(struct node *node);

/*
 * Informs others how the run ended or failed.  Returns the exit status of this monitor; collective.
 * After a failure it does not return, but leaves without the wire's farewell.
 */
int life_end(struct node *node);

#endif
