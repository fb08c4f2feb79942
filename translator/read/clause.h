/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clause.h - reads the clauses of one directive. */
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

/* Whether word AT is WORD. */
bool reader_is(const struct clause_reader *reader, unsigned int at, const char *word);
/* The index of WORD outside brackets in [AT, END), or END. */
unsigned int reader_find(const struct clause_reader *reader, unsigned int at, unsigned int end,
			 const char *word);
/* The text of words [FIRST, END). */
struct range reader_text(const struct clause_reader *reader, unsigned int first, unsigned int end);

/* Reads the rest as clauses of DIRECTIVE; false when an error was reported. */
bool clauses_read(struct clause_reader *reader, struct directive *directive);
/* Reads the name in parentheses of critical, if there is one. */
bool clause_read_name(struct clause_reader *reader, struct directive *directive);
/* Reads the list in parentheses of threadprivate or, if there is one, of flush. */
bool clause_read_list(struct clause_reader *reader, struct directive *directive);

#endif
