/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bind.h - which statement goes with which directive, how constructs nest, and whether a jump
 * leads into or out of one.
 */
#ifndef CAPE_TRANSLATOR_BIND_H
#define CAPE_TRANSLATOR_BIND_H

#include <stdbool.h>

#include "read/text.h"

struct unit;

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
	unsigned int end;   /* token behind the last one */
	int parent;
	int child;	 /* the first one */
	int next;	 /* the sibling behind */
	int construct;	 /* innermost directive with a body around it, or -1 */
	int directive;	 /* STATEMENT_DIRECTIVE: its index */
	bool shared_out; /* a loop of a loop construct */
};

typedef LIST(struct statement) statement_list;

/* Fills unit->statements and what bind sets in the directives; reports what stands wrongly. */
void bind_directives(struct unit *unit);

/* The innermost construct around directive INDEX that begins a parallel region, or -1. */
int enclosing_parallel(const struct unit *unit, int index);

#endif
