/* SPDX-License-Identifier: GPL-2.0-or-later */
/* atomic.h - takes the statement of an atomic construct apart (OpenMP 3.1, 2.8.5). */
#ifndef CAPE_TRANSLATOR_ATOMIC_H
#define CAPE_TRANSLATOR_ATOMIC_H

#include "read/part.h"

struct unit;
struct directive;

struct atomic {
	const char *kind;     /* the enum cape_atomic to emit */
	bool flushes;	      /* by a memory order that is more than relaxed */
	struct part variable; /* one place where it stands */
	struct part value;    /* what x is changed by or set to; empty: nothing */
	struct part result;   /* what is set by a read or a capture without compare, or empty */
	bool before;	      /* a capture's, to what x was before */
	/* The enum cape_operator of an update by one, or NULL. */
	const char *operator_name;
	bool negated;	      /* the value is subtracted; an empty one is 1 */
	bool element;	      /* nobody asks for the update's result */
	struct part equality; /* "x == value", which compares bits, or empty */
	struct part other;    /* that value */
};

/* Reads the statement of DIRECTIVE; false when an error was reported. */
bool atomic_read(struct unit *unit, const struct directive *directive, struct atomic *atomic);

#endif
