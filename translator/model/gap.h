/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gap.h - what a region does between two sync points, one of which is that of a known loop. */
#ifndef CAPE_TRANSLATOR_GAP_H
#define CAPE_TRANSLATOR_GAP_H

#include <stdbool.h>
#include <stddef.h>

#include "passage.h"

/* What threads access between two sync points nevertheless. */
struct gap {
	read_list reads;
	read_list changes; /* static variables */
	bool prints;	   /* the standard output, too */
};

/*
 * Whether no thread accesses memory that nodes exchange by need from the sync point at the end of
 * DIRECTIVE to the next one, at the end of a planned loop, or of the region, or where none comes
 * before; but for GAP.  gap_clear(): frees what is in there.
 */
bool gap_is_quiet_after(const struct unit *unit, const struct directive *directive,
			struct gap *gap);
void gap_clear(struct gap *gap);

/* The same from where the region of DIRECTIVE begins. */
bool gap_is_quiet_before(const struct unit *unit, const struct directive *directive,
			 read_list *reads);

/* Whether FUNCTION is called by its name alone, and in this text alone. */
bool gap_shows_all_calls(const struct unit *unit, size_t function);

/* What is asked about a CALL of a function in REGION. */
struct call_question {
	bool (*ask)(const struct call_question *question, const struct syntax *call,
		    const struct directive *region);
};

/*
 * Whether the answer is yes for all calls of FUNCTION that regions make, and these are all in the
 * text, in regions themselves.
 */
bool gap_asks_calls(const struct unit *unit, int function, const struct call_question *question);

/* Whether reductions of DIRECTIVE change the variables that are named, and the run time does it. */
bool gap_reduces_by_name(const struct directive *directive);

/*
 * Whether a loop without a sync point at its end may have one: nothing comes between its end and
 * the next sync point that another thread could wait for.
 */
bool gap_may_wait(const struct unit *unit, const struct directive *directive);

#endif
