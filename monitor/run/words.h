/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - what mpirun has to say of a run, which matters when nobody else has said a word.
 */
#ifndef CAPE_RUN_WORDS_H
#define CAPE_RUN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What mpirun says itself goes to files in FOLDER, apart from what the programs say.  The
 * descriptor of one, for what it writes to stderr all the same, or -1.
 */
int words_redirect(const char *folder);

/*
 * Reports to the user what LAUNCHER, which ended with STATUS, left in FOLDER, if it is more than
 * that a process has failed.  BEGUN: node 0's monitor has called.  OVER: and has said that the
 * program has ended.
 */
void words_tell(const char *folder, const char *launcher, int status, bool begun, bool over);

/* The same of a run in which no monitor came as far as to call: if Open MPI did not let them. */
void words_tell_start(const char *folder);

/*
 * The same of one whose mpirun has died: if it missed a machine.  Open MPI 5's then ends before the
 * node there can say so.
 */
void words_tell_loss(const char *folder);

/*
 * Reports to the user that there is no room left where FOLDER lies, if there is none: who writes
 * to memory that is shared through a file there then dies of SIGBUS.
 */
void words_tell_full(const char *folder);

/* The most that is held back until it is seen what a line is. */
#define ASIDE_HELD 128

/* How a line begins that reports to the user why a run has failed: never mpirun's. */
#define ASIDE_REASON "cape-run: "

/* Takes out of mpirun's stderr what mpirun says itself. */
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
