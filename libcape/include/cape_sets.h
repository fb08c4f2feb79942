/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cape_sets.h - what a loop reads and writes, as cape-cc finds it in the source.
 *
 * cape-cc --check-sets puts this before a part of a loop runs:
 *
 *	if (cape_sets_begin(how)) {
 *		cape_box(...);		for each access of its iterations
 *		cape_sets_ready();
 *	}
 *
 * and cape_sets_end() after the loop.  Every access of the thread is held against the boxes until
 * then, or until the next part begins.
 */
#ifndef CAPE_SETS_H
#define CAPE_SETS_H

#include "cape_plan.h"

#define CAPE_SETS_CLOSED 1 /* what it reads is known, too; else only what it writes */
#define CAPE_SETS_SAID	 2 /* some of it by #pragma cape */

/* Whether the calling thread is to tell the sets of the part that it runs next; HOW: as above. */
#define cape_sets_begin(how) cape_sets_begin_at((how), CAPE_HERE)
int cape_sets_begin_at(int how, const struct cape_place *place);

/*
 * The same of a loop in which threads hand data on to each other (cape_pipeline_begin()): loops in
 * it are not held against sets of their own.
 */
#define cape_sets_begin_pipeline() cape_sets_begin_pipeline_at(CAPE_HERE)
int cape_sets_begin_pipeline_at(const struct cape_place *place);
void cape_sets_end_pipeline(void);

/* As cape_plan_box().  TEXT is the access in LINE of the source, which stays where it is. */
void cape_box(enum cape_set set, const char *text, unsigned line, unsigned long at,
	      unsigned long size, unsigned long dimensions, ...);

/* Accesses are described round by round: whether that goes on, and is not too much. */
int cape_sets_round(void);
void cape_sets_ready(void); /* all boxes of the part have been described */
void cape_sets_end(void);   /* the thread has run its last part */

/* Said before the program starts: its accesses are held against sets, and not each other. */
void cape_sets_ask(void);

#define CAPE_SETS_ASK                                                                              \
	static __attribute__((constructor(101), unused)) void cape_sets_ask_here(void)             \
	{                                                                                          \
		cape_sets_ask();                                                                   \
	}

#endif
