/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop.h - the canonical loops (OpenMP 3.1, 2.5.1) of for, parallel for and collapse. */
#ifndef CAPE_TRANSLATOR_LOOP_H
#define CAPE_TRANSLATOR_LOOP_H

#include "read/source.h"

struct unit;

enum loop_relation {
	LOOP_LESS,
	LOOP_LESS_EQUAL,
	LOOP_GREATER,
	LOOP_GREATER_EQUAL,
	LOOP_NOT_EQUAL,
};

/* for (VARIABLE = FIRST; VARIABLE RELATION LIMIT; VARIABLE +-= STEP) BODY */
struct loop {
	int statement;		  /* its node */
	struct range name;	  /* of the variable */
	struct range declaration; /* "int i", when declared in the loop; else empty */
	unsigned int variable;	  /* index into tree.variables */
	bool pointer;
	struct range first;
	enum loop_relation relation;
	struct range limit;
	struct range step;   /* empty: 1 */
	bool constant_step;  /* a number, to be written as it stands */
	bool minus;	     /* the step is subtracted */
	struct range header; /* from "for" to behind ")" */
	struct range body;
};

/* Reads the loops of every loop construct into directive.loops; reports other forms. */
void loops_read(struct unit *unit);

/* Whether the variable grows. */
bool loop_ascends(const struct loop *loop);

#endif
