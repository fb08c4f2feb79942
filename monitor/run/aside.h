/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aside.h - takes out of mpirun's stderr what mpirun says itself.
 */
#ifndef CAPE_RUN_ASIDE_H
#define CAPE_RUN_ASIDE_H

#include <stdbool.h>
#include <stddef.h>

/* The most that is held back until it is seen what a line is. */
#define ASIDE_HELD 128

/* How a line begins that tells the user why a run has failed: never mpirun's. */
#define ASIDE_REASON "cape-run: "

struct aside {
	int file;	/* where it is put; -1: nothing is taken out */
	size_t room;	/* for so many bytes yet */
	bool inside;	/* between two rules */
	bool last_word; /* this line is one */
	bool known;	/* what this line is */
	size_t count;
	char held[ASIDE_HELD]; /* of a line that is not known yet */
};

/* FILE stays the caller's. */
struct aside aside_open(int file);

/*
 * Puts into LEFT, which has room for SIZE + ASIDE_HELD bytes, what is left of BYTES and of what was
 * held back; how many.  SIZE 0: there will be no more.
 */
size_t aside_take(struct aside *aside, const char *bytes, size_t size, char *left);

#endif
