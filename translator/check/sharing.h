/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sharing.h - the data-sharing attribute of every variable in every construct (OpenMP 3.1, 2.9),
 * and which automatic variables a parallel region must register.
 */
#ifndef CAPE_TRANSLATOR_SHARING_H
#define CAPE_TRANSLATOR_SHARING_H

#include "read/directive.h"

struct unit;
struct variable;

enum sharing {
	SHARING_NONE, /* the construct says nothing about it */
	SHARING_SHARED,
	SHARING_PRIVATE,
	SHARING_FIRSTPRIVATE,
	SHARING_LASTPRIVATE,
	SHARING_FIRST_LASTPRIVATE,
	SHARING_REDUCTION,
};

/* Finds the variable of every list item and checks OpenMP's rules for the clauses. */
void sharing_resolve(struct unit *unit);
/* Fills directive.shared of every parallel construct; checks default(none). */
void sharing_find_shared(struct unit *unit);

/* Whether ITEM of CLAUSE is linear, and not the loop variable, which is what it is anyway. */
bool sharing_is_linear(const struct directive *directive, const struct clause *clause,
		       const struct item *item);

/* What DIRECTIVE itself says about VARIABLE: by a clause, or because it is its loop variable. */
enum sharing sharing_of(const struct directive *directive, unsigned int variable);
/* Whether VARIABLE has a private copy in the construct. */
bool sharing_is_private(enum sharing sharing);
/* Whether VARIABLE is declared in the block of DIRECTIVE. */
bool sharing_is_declared_in(const struct variable *variable, const struct directive *directive);
/*
 * Whether all threads of the team around construct INDEX share VARIABLE there; INDEX -1: outside of
 * all.  Where no team is seen, they share what is static, unless a construct has a private copy.
 */
bool sharing_is_shared_at(const struct unit *unit, int index, unsigned int variable);
/* Whether VARIABLE is the variable of one of the loops of DIRECTIVE. */
bool sharing_is_loop_variable(const struct directive *directive, unsigned int variable);
/* Whether the name of VARIABLE means another one at DIRECTIVE. */
bool sharing_is_hidden(const struct unit *unit, const struct directive *directive,
		       unsigned int variable);

#endif
