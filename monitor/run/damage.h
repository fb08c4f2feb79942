/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * damage.h - what a run goes on from when a save turns out to be damaged: at once the newest one
 * before it that is whole, for damage in one spoils all that go on from it.
 */
#ifndef CAPE_RUN_DAMAGE_H
#define CAPE_RUN_DAMAGE_H

#include "save/set.h"

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

/* Whether the set is whole. */
bool damage_is_none(const char *set);

/*
 * Marks what was found damaged, down to the save SET that the run goes on from, if it lies in the
 * run's own FOLDER, which may be NULL.  False: it cannot be, and the user was told.
 */
bool damage_mark(struct damage *damage, const char *set, const char *folder);

/* What of it is said in a sentence; TEXT has SIZE bytes. */
void damage_say(const struct damage *damage, char *text, size_t size);

/* A line for a user who has named the save SET itself: what it could be instead. */
void damage_advise(const char *set);

#endif
