/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sets.h - what a loop of a team reads and writes, in terms of values that are known before it
 * runs.
 *
 * The sets of a loop are a tree of parts: loops and conditions of its body, as far as accesses
 * depend on them, and the accesses themselves.  In their expressions stand iterators (the values of
 * loops' variables), what the loop does not change, and memory; nothing else.  Where such memory is
 * written by the loop itself, the sets are wrong: that is looked at when the loop runs.
 */
#ifndef CAPE_TRANSLATOR_SETS_H
#define CAPE_TRANSLATOR_SETS_H

#include <stdbool.h>

#include "read/statement.h"
#include "read/syntax.h"
#include "read/text.h"

struct unit;
struct directive;

enum iterator_kind {
	ITERATOR_SHARED_OUT, /* the innermost loop of the construct: the threads share it out */
	/* An outer one that collapse names, or a number: it has one value at a time. */
	ITERATOR_FIXED,
	ITERATOR_INNER, /* a loop in the body, or in a function that the body calls */
};

/* The variable of a loop.  What follows the kind's three lines is of inner loops alone. */
struct iterator {
	enum iterator_kind kind;
	const char *name;
	const char *type; /* as C writes it */
	struct syntax *first, *limit;
	struct syntax *step; /* its magnitude; NULL: 1 */
	enum loop_relation relation;
	bool minus;			/* the step is subtracted */
	const struct directive *shares; /* in a pipeline: it out, as the walk has seen; or NULL */
};

/* Whether its values become less. */
bool iterator_descends(const struct iterator *iterator);

enum access_set {
	SET_READ,
	SET_WRITE,     /* each time that control comes to its part */
	SET_MAY_WRITE, /* sometimes */
	SET_INDEX,     /* read to find out what is read or written, or whether */
};

enum part_kind {
	PART_BLOCK,
	PART_LOOP,
	PART_IF,
	PART_ACCESS,
};

struct part_of_set {
	enum part_kind kind;
	unsigned int iterator;	     /* PART_LOOP: which */
	struct syntax *condition;    /* PART_IF */
	bool otherwise;		     /* PART_IF: where the condition does not hold */
	struct syntax *beside;	     /* PART_IF: or where this holds, of which one does; NULL */
	bool uncut;		     /* PART_IF: its condition is looked at round by round */
	enum access_set set;	     /* PART_ACCESS */
	const struct syntax *object; /* PART_ACCESS */
	const char *text;	     /* PART_ACCESS: the object, as C */
	unsigned int offset;	     /* PART_ACCESS: where it stands in the source */
	bool alike;		     /* nothing in it depends on what a thread has of its own */
	bool sure;		     /* PART_ACCESS: control came to it with its part */
	bool guards;		     /* control may not come to it */
	bool described;		     /* all of this, or its place, is known before the loop */
	bool early;		     /* PART_ACCESS: so is what it holds */
	bool looked_up;		     /* PART_ACCESS: where sets->lists holds, for another one */
	bool joined;		     /* PART_ACCESS: another one has it, too (join.h) */
	bool is_said;		     /* PART_ACCESS: #pragma cape has it (said.h) */
	bool has_other;		     /* PART_ACCESS: in plans another part stands for it, */
	bool instead;		     /* this one (conditional.h) */
	bool replaced;		     /* PART_ACCESS: by what #pragma cape says (said.h) */
	unsigned long elements;	     /* PART_ACCESS: so many from the object on; 0: it alone */
	struct part_of_set *around;
	LIST(struct part_of_set *) parts;
};

/* What is not known. */
struct unknown {
	unsigned int offset; /* of the access or the statement that stops it, and its end */
	unsigned int end;
	bool writes;	 /* it may also be something that is written */
	bool place;	 /* it is no more than the place of something that is read */
	const char *why; /* for the user, after the place: "'k' changes in the loop" */
};

struct sets {
	unsigned int directive; /* its index */
	struct part_of_set *all;
	LIST(struct iterator) iterators;
	LIST(struct unknown) unknown; /* empty: all that the loop reads and writes is in ALL */
	LIST(struct unknown) said;    /* what would be, but #pragma cape says it */
	bool writes_described;	      /* that is, all nodes can describe them for all */
	LIST(struct unknown) late;    /* what cannot be described so, or is handed on */
	bool critical; /* something in it is such a construct, or in what it calls; or may be */
	bool lists;    /* what else is read each node can find by itself, for its own iterations */
	LIST(const struct syntax *) somewhere; /* variables something of which is read; NULL: any */
	LIST(struct part_of_set *) memory;
};

typedef LIST(struct sets) sets_list;

/* Whether the sets have all that the loop writes, and what decides on that. */
bool sets_know_writes(const struct sets *sets);

/*
 * Finds the sets of every loop that a team shares out, which directives lead to as long as LIST
 * is there; needs unit->syntax and what check/ found.
 */
void sets_find(struct unit *unit, sets_list *list);
void sets_free(sets_list *list);
void sets_clear(struct sets *sets); /* frees what one has */

#endif
