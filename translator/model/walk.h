/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk.h - going through a loop's body in the order of its execution, once. */
#ifndef CAPE_TRANSLATOR_WALK_H
#define CAPE_TRANSLATOR_WALK_H

#include "scope.h"
#include "sets.h"

#define CALLS_LIMIT 30 /* of functions that call each other */

struct walk {
	struct unit *unit;
	const struct directive *directive;
	struct sets *sets;
	binding_list scope;
	struct part_of_set *part;   /* to which is added */
	unsigned int uncertain;	    /* conditions around that are not known before the loop runs */
	unsigned int ending;	    /* blocks around that the program ends in */
	LIST(unsigned int) exposed; /* variables whose addresses the loop takes */
	LIST(int) functions;	    /* that are being walked through, outermost first */
	bool in_pipeline;	    /* a stretch of all threads (pipeline.h); it is at PLACE, */
	struct range block;	    /* somewhere in the block of a region or function */
	unsigned int place;
	const char *changed;	 /* the variable whose value was missed last, or NULL */
	unsigned int changed_at; /* what changes it */
};

/* Stops where a name of the sets means something else at walk_place(); HEADER is named then. */
void sets_look_at_names(struct walk *walk, struct range header);

/* Where the sets are described. */
unsigned int walk_place(const struct walk *walk);

/* A new part of the one that the walk is in; the walk goes on in it. */
struct part_of_set *walk_enter(struct walk *walk, enum part_kind kind);
void walk_leave(struct walk *walk);

/*
 * Goes on where CONDITION holds, or does not if it is OTHERWISE; NULL: it is not known whether that
 * is so.  Leaves that again.
 */
void walk_enter_if(struct walk *walk, struct syntax *condition, bool otherwise);
void walk_leave_if(struct walk *walk, const struct syntax *condition);

/* Notes what is not known, WHY as printf would write it: something in the text that also WRITES. */
void walk_stop(struct walk *walk, bool writes, struct range at, const char *why, ...)
	__attribute__((format(printf, 4, 5)));
/* The same, of what #pragma cape may say. */
void walk_stop_unless_said(struct walk *walk, struct range at, const char *why, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * The place of OBJECT is not known, and no more, unless #pragma cape says it.  WHY may be NULL: a
 * variable's value is not.
 */
void walk_stop_at(struct walk *walk, enum access_set set, struct range at, const char *why,
		  const struct syntax *object);

/* The word of a pragma at OFFSET. */
struct range walk_word_at(const struct unit *unit, unsigned int offset);

/* Stops at the directives in BODY that are not followed; FIRST is the index of the first one. */
void walk_look_at_directives(struct walk *walk, struct range body, size_t first);

/* Whether each thread has a variable of its own by that name. */
bool walk_is_own(const struct walk *walk, const struct syntax *variable);
/*
 * Whether it holds, while an iteration goes on, what that has given it: it is the thread's own, or
 * no other one may write it, for nothing orders them.
 */
bool walk_holds(const struct walk *walk, const struct syntax *variable);
/* Notes the variables whose addresses PIECE takes, or what it calls. */
void walk_find_exposed(struct walk *walk, const struct syntax *piece);
/* Whether the variable can change by a pointer. */
bool walk_is_exposed(const struct walk *walk, unsigned int declaration);
/* The same, or because PIECE changes it by its name. */
bool walk_may_change(const struct walk *walk, const struct syntax *piece, unsigned int declaration);

/* Evaluates the expression: notes what it reads and writes.  Its value, or NULL: not known. */
struct syntax *walk_expression(struct walk *walk, struct syntax *expression);
/* Declares a variable and gives it its first value. */
void walk_declaration(struct walk *walk, struct syntax *declaration);

/* A variable that is handed on by a construct inside of the loop. */
void walk_may_write(struct walk *walk, struct syntax *variable);

/* VALUE decides on what is read or written: the memory in it is read for that. */
void walk_depend(struct walk *walk, const struct syntax *value, struct range at);

/* Whether memory decides on VALUE that cannot be read where the loop begins. */
bool walk_is_late(struct walk *walk, const struct syntax *value);

/*
 * Notes that CONDITION decides.  Gives it back, or NULL if it is not known before the loop, or may
 * not be looked at there.
 */
struct syntax *walk_condition(struct walk *walk, struct syntax *condition, struct range at);

/* Goes through the body of a function; what it returns, or NULL: not known. */
struct syntax *walk_callee(struct walk *walk, struct syntax *body);

#endif
