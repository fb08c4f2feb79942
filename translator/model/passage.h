/* SPDX-License-Identifier: GPL-2.0-or-later */
/* passage.h - going on from a place in a region to the next loop that is known, or sync point. */
#ifndef CAPE_TRANSLATOR_PASSAGE_H
#define CAPE_TRANSLATOR_PASSAGE_H

#include <stdbool.h>

#include "read/text.h"

struct unit;
struct directive;
struct syntax;

enum passage {
	PASSAGE_BROKEN,	 /* memory that nodes exchange is accessed first, or it is not known */
	PASSAGE_GOES_ON, /* neither: the end of the code comes */
	PASSAGE_ENDS,	 /* it always comes to one first */
};

/* Static variables, and objects whose places variables say that stay the same. */
typedef LIST(const struct syntax *) read_list;

struct passing {
	const struct unit *unit;
	const struct directive *from;	/* the construct after which, or the region in which */
	const struct directive *region; /* around the code; NULL: the text does not show it */
	/* Loops are as if they had no clause nowait, or are passed if they have. */
	bool to_sync_point;
	bool *returns;	  /* set where the function that is gone through does; NULL: none is */
	read_list *reads; /* what is read on the way */
	/* Static variables that are changed before a sync point that no known loop comes before,
	 * and whether something is printed there; NULL: neither may be. */
	read_list *changes;
	bool *prints;
	/* Of functions: what going through them came to, 1 + enum passage, or 0; */
	unsigned char *through;
	unsigned char *sequential;	      /* 1 + whether no region calls them, or 0; */
	bool *after;			      /* whether what comes after them was looked at */
	const struct call_question *question; /* gap_asks_calls() */
};

/* FROM may be NULL, and so may READS: then none may be read.  passage_end() returns RESULT. */
void passage_start(struct passing *passing, const struct unit *unit, const struct directive *from,
		   read_list *reads);
bool passage_end(struct passing *passing, bool result);

/* Through PIECE, before which pragmas may stand from FROM on; it may be NULL, up to TO. */
enum passage passage_of(struct passing *passing, const struct syntax *piece, unsigned int from,
			unsigned int to);
/* Through those of BLOCK's parts from INDEX on, after FROM. */
enum passage passage_of_block(struct passing *passing, const struct syntax *block,
			      unsigned int index, unsigned int from);
/* The same of what the function does that CALL calls, whatever the arguments are. */
bool passage_may_call(struct passing *passing, const struct syntax *call);
/* Whether the expression, or declaration, accesses nothing that nodes exchange. */
bool passage_is_harmless(struct passing *passing, const struct syntax *piece);

#endif
