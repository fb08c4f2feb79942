/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reduction.h - declare reduction: the user's own reduction operators. */
#ifndef CAPE_TRANSLATOR_REDUCTION_H
#define CAPE_TRANSLATOR_REDUCTION_H

#include <stdbool.h>

#include "text.h"

struct unit;
struct clause;
struct clause_reader;
struct directive;
struct item;

/* Reads what stands after "declare reduction"; false when an error was reported. */
bool reduction_read(struct clause_reader *reader, struct directive *directive);
void reduction_free(struct directive *directive);

/* Whether a declare reduction for the identifier of CLAUSE is visible at DIRECTIVE. */
bool reduction_is_declared(const struct unit *unit, const struct directive *directive,
			   const struct clause *clause);

/*
 * Adds an expression: the function that reduces ITEM, by the declare reduction that fits the type
 * of ELEMENT or by the translation's own.  WHICH is "combine" (changes *out by *in) or "initial"
 * (sets *out, given the original).
 */
void reduction_write_function(const struct unit *unit, const struct directive *directive,
			      const struct clause *clause, const struct item *item,
			      const char *which, const char *element, struct text *text);
/* Adds what lets the compiler say so when no declare reduction fits. */
void reduction_write_check(const struct unit *unit, const struct directive *directive,
			   const struct clause *clause, const struct item *item,
			   const char *element, struct text *text);

/* Adds the functions of reductions of types that the run time does not know (item.own). */
void rewrite_own_reductions(struct unit *unit, const struct directive *directive);
/* Turns DIRECTIVE, a declare reduction, into these functions. */
void rewrite_declare_reduction(struct unit *unit, const struct directive *directive);

#endif
