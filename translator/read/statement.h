/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statement.h - what the stages know of statements and of the canonical loops among them. */
#ifndef CAPE_TRANSLATOR_STATEMENT_H
#define CAPE_TRANSLATOR_STATEMENT_H

#include <stdbool.h>

#include "source.h"
#include "text.h"

enum statement_kind {
	STATEMENT_SIMPLE, /* expression, declaration, asm, nothing */
	STATEMENT_COMPOUND,
	STATEMENT_IF,
	STATEMENT_FOR,
	STATEMENT_LOOP, /* while, do */
	STATEMENT_SWITCH,
	STATEMENT_LABEL,
	STATEMENT_CASE,
	STATEMENT_BREAK,
	STATEMENT_CONTINUE,
	STATEMENT_RETURN,
	STATEMENT_GOTO,
	STATEMENT_DIRECTIVE, /* the pragma and what it governs */
};

#define NO_STATEMENT (-1)

/* Statements are listed in the order of their beginnings; links are indices. */
struct statement {
	enum statement_kind kind;
	unsigned int first; /* token */
	unsigned int end;   /* token after the last one */
	int parent;
	int child;	 /* the first one */
	int next;	 /* the sibling after */
	int construct;	 /* innermost directive with a body around it, or -1 */
	int directive;	 /* STATEMENT_DIRECTIVE: its index */
	bool shared_out; /* a loop of a loop construct */
};

typedef LIST(struct statement) statement_list;

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
	struct range step;  /* empty: 1 */
	bool constant_step; /* a constant, STEP_VALUE, to be written as it stands */
	long step_value;
	bool minus;	     /* the step is subtracted */
	struct range header; /* from "for" to after ")" */
	struct range body;
};

#endif
