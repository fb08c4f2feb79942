/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - the preprocessed text of one C file: its tokens, where each stands in the user's
 * files, and the edits that turn it into the translated program.
 *
 * A position is an offset into the preprocessed text.  Tokens leave out line markers and other
 * pragmas; an OpenMP pragma is one token, and its words are in a list of their own.  CAPE's own
 * pragmas are no tokens, but in a list.
 */
#ifndef CAPE_TRANSLATOR_SOURCE_H
#define CAPE_TRANSLATOR_SOURCE_H

#include <stdbool.h>

#include "text.h"

enum token_kind {
	TOKEN_NAME, /* identifier or keyword */
	TOKEN_NUMBER,
	TOKEN_STRING, /* string or character constant */
	TOKEN_PUNCTUATOR,
	TOKEN_DIRECTIVE, /* a whole #pragma omp line */
};

#define NO_MATCH ((unsigned int)-1)

struct token {
	unsigned int offset;
	unsigned int length;
	enum token_kind kind;
	unsigned int match; /* index of the other bracket, or NO_MATCH */
};

typedef LIST(struct token) token_list;

struct range {
	unsigned int from;
	unsigned int to;
};

/* One line of the preprocessed text. */
struct line {
	unsigned int offset;
	unsigned int number; /* in the user's file */
	unsigned int file;   /* index into source.files */
	bool system;	     /* of a system header */
	bool marker;	     /* a line marker itself; then FLAG tells what it does: */
	int flag;	     /* 1 enters a file, 2 returns to one, 0 neither */
};

/* At [FROM, TO) stands TEXT instead.  Of edits at one place the lower ORDER comes first. */
struct edit {
	unsigned int from;
	unsigned int to;
	unsigned int near; /* the token that shares its indentation */
	long order;
	char *text;
};

struct source_file {
	char *name; /* as in the line markers, unescaped */
	struct text text;
	LIST(unsigned int) starts; /* of its lines */
	bool tried;
};

struct source {
	struct text text;
	token_list tokens;
	LIST(struct range) pragmas; /* the lines of #pragma cape */
	LIST(struct line) lines;
	LIST(struct source_file) files;
	LIST(struct edit) edits;
};

/* A place in the user's files, as errors name it. */
struct place {
	const char *file;
	unsigned int line;
	unsigned int column;
	bool system;
};

/* Splits source->text into lines and tokens. */
void source_scan(struct source *source);
void source_free(struct source *source);

/* Whether TEXT is the line of a pragma that has NAME first. */
bool source_is_pragma(const char *text, const char *name);
/* Appends the words of a pragma line to LIST, "#" among them. */
void source_lex_line(struct source *source, struct range line, token_list *list);

/* Index of the first token at or after OFFSET. */
unsigned int source_token_at(const struct source *source, unsigned int offset);
/* Where the declaration ends in which the token at OFFSET stands: after its semicolon. */
unsigned int source_declaration_end(const struct source *source, unsigned int offset);
/* The line of the preprocessed text that OFFSET is in. */
const struct line *source_line_at(const struct source *source, unsigned int offset);
/* Where the token at OFFSET stands in the user's file; its column is looked up there. */
struct place source_place(struct source *source, unsigned int offset);
/* Line NUMBER of FILE (index), without its end, or NULL; LENGTH is set. */
const char *source_user_line(struct source *source, unsigned int file, unsigned int number,
			     size_t *length);

bool token_is(const struct source *source, const struct token *token, const char *word);
/* Whether it names the attribute by which a function is called where a variable's block ends. */
bool token_is_cleanup(const struct source *source, const struct token *token);
/* Whether both tokens have the same spelling. */
bool token_same(const struct source *source, const struct token *one, const struct token *other);
/* Adds the user's text in RANGE, without line markers that a system header's macro put there. */
void source_copy(const struct source *source, struct range range, struct text *text);
static inline unsigned int token_end(const struct token *token)
{
	return token->offset + token->length;
}

/*
 * Edits take TEXT over.  Text that ends in a newline is a block of lines of its own; other text
 * stands within a line.  NEAR is the token whose line gives the block its indentation.
 */

/* Puts TEXT before the token at OFFSET; a later call puts it further right. */
void edit_before(struct source *source, unsigned int offset, unsigned int near, char *text);
/* The same before the statement at OFFSET, or its pragma. */
void edit_before_statement(struct source *source, unsigned int offset, char *text);
/* Replaces [FROM, TO) by TEXT. */
void edit_replace(struct source *source, unsigned int from, unsigned int to, unsigned int near,
		  char *text);
/* The same where the statement of DIRECTIVE (a position) ends; inner ones' texts go first. */
void edit_after(struct source *source, unsigned int directive, unsigned int near,
		struct range range, char *text);

#endif
