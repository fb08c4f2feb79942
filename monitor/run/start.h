/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start.h - how long a start may take: until all monitors know each other.
 */
#ifndef CAPE_RUN_START_H
#define CAPE_RUN_START_H

#include <stdbool.h>
#include <stdint.h>
#include "launcher.h"
#include "relay.h"

struct start {
	int within;	    /* seconds that it may take */
	const char *folder; /* the run's */
	const struct launcher *launcher;
	uint64_t looked; /* stop_now() then; 0: never yet */
	uint64_t passed; /* milliseconds in which it could go on */
	bool reported;	 /* what it waits for */
	bool late;	 /* it has taken too long, and a message says so */
};

/*
 * Seconds that a start of NODES nodes may take: GIVEN, or, if that is 0, as many as they need who
 * are all HERE, on this machine, and so share its processors, or not.
 */
int start_limit(int given, int nodes, bool here);

/*
 * To be called each LOOK milliseconds, at least, until the launcher has ended: reports what a start
 * waits for that takes long.  Whether it is to be ended, which is said once.
 */
bool start_look(struct start *start, const struct relay *relay, int look);

#endif
