/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - what mpirun has to say of a run, which matters when nobody else has said a word.
 */
#ifndef CAPE_RUN_WORDS_H
#define CAPE_RUN_WORDS_H

#include <stdbool.h>

/*
 * What mpirun says itself goes to files in FOLDER, apart from what the programs say.  The
 * descriptor of one, for what it writes to stderr all the same, or -1.
 */
int words_redirect(const char *folder);

/*
 * Tells the user what LAUNCHER, which ended with STATUS, left in FOLDER, if it is more than that a
 * process has failed.  BEGUN: node 0's monitor has called.  OVER: and has said that the program has
 * ended.
 */
void words_tell(const char *folder, const char *launcher, int status, bool begun, bool over);

/* The same of a run in which no monitor came as far as to call: if Open MPI did not let them. */
void words_tell_start(const char *folder);

/*
 * The same of one whose mpirun has died: if it missed a machine.  Open MPI 5's then ends before the
 * node there can say so.
 */
void words_tell_loss(const char *folder);

#endif
