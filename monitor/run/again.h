/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again.h - --max-restarts: a run that has died of a fault goes on from its newest save.
 */
#ifndef CAPE_RUN_AGAIN_H
#define CAPE_RUN_AGAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "options.h"
#include "save/set.h"
#include "supervise.h"

struct again {
	int restarts;		   /* so far */
	char first[SET_PATH_SIZE]; /* what the user's --restart goes on from; empty: nothing */
	uint64_t own;		   /* saves in the run's folder from this number on are its own */
	char place[SET_PATH_SIZE]; /* the newest save when the run died last; empty: none */
	bool died;		   /* once at least */
	bool late;		   /* a start was, and was made once more */
	off_t input;		   /* where standard input was, if it is a file; else below 0 */
};

/* Before the first run. */
void again_prepare(struct again *again, const struct run_options *options);

/*
 * Whether the run that has ended so, with STATUS, is to be started again by OPTIONS, which are
 * changed for that.  The user was told.  A signal of the user's meanwhile is put into ENDING.
 */
bool again_try(struct again *again, struct run_options *options, struct ending *ending, int status);

#endif
