/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop.h - the end of a run that does not end by itself: first asked for, then forced.
 */
#ifndef CAPE_RUN_STOP_H
#define CAPE_RUN_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct stop {
	pid_t launcher;
	int folder;	/* the run's: its lock */
	uint64_t asked; /* when it was asked to end; 0: it was not */
	bool forced;
};

/* Asks the launcher to end the run; asked a second time, forces it. */
void stop_ask(struct stop *stop);

/* Kills it. */
void stop_force(struct stop *stop);

/* Milliseconds of CLOCK_MONOTONIC. */
uint64_t stop_now(void);

/*
 * To be called now and then: forces an end that was asked for and does not come.  After how many
 * milliseconds it wants to be called again, or -1.
 */
int stop_look(struct stop *stop);

/* Once the launcher has ended out of order: ends what it has left on this machine. */
void stop_orphans(void);

/* Waits, not for long, until the keepers on this machine have removed the run's files. */
void stop_await_keepers(void);

#endif
