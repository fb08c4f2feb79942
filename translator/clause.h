/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clause.h - reads the clauses of one directive; used by directive.c only. */
#ifndef CAPE_TRANSLATOR_CLAUSE_H
#define CAPE_TRANSLATOR_CLAUSE_H

#include "directive.h"

/* The words of one pragma, AT the next one to read. */
struct clause_reader {
	struct unit *unit;
	const struct token *words;
	unsigned int at;
	unsigned int end;
};

/* Reads the rest as clauses of DIRECTIVE; false when an error was reported. */
bool clauses_read(struct clause_reader *reader, struct directive *directive);
/* Reads the list in parentheses of threadprivate or, if there is one, of flush. */
bool clause_read_list(struct clause_reader *reader, struct directive *directive);

#endif
