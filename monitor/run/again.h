/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again.h - --max-restarts: a run that has died of a fault goes on from its newest save; when that
 * is damaged, at once from the newest whole one before it, for damage in one spoils all that go on
 * from it.
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
 * changed for that.  A message was printed.  A signal of the user's meanwhile is put into ENDING.
 */
bool again_try(struct again *again, struct run_options *options, struct ending *ending, int status);

/* Saves that were found damaged. */
struct damage {
	char newest[SET_PATH_SIZE]; /* of them */
	int others;		    /* before it */
	uint64_t least;		    /* the lowest number that was asked for */
	bool given_up;		    /* they are marked */
};

/*
 * Finds the newest whole save beside the one at SET, which is damaged, with a number of LEAST or
 * more, and puts its path there.  False: there is none, and SET is as it was.
 */
bool damage_pass(char set[SET_PATH_SIZE], uint64_t least, struct damage *damage);

/*
 * Marks what was found damaged, down to the save SET that the run goes on from, if it lies in the
 * run's own FOLDER, which may be NULL.  False: it cannot be, and a message was printed.
 */
bool damage_mark(struct damage *damage, const char *set, const char *folder);

/* What of it is said in a sentence; TEXT has SIZE bytes. */
void damage_say(const struct damage *damage, char *text, size_t size);

/* A line for a user who has named the save SET itself: what it could be instead. */
void damage_advise(const char *set);

#endif
