/* SPDX-License-Identifier: GPL-2.0-or-later */
/* access.h - accesses to memory, and what decides on them, as a walk notes them. */
#ifndef CAPE_TRANSLATOR_ACCESS_H
#define CAPE_TRANSLATOR_ACCESS_H

#include "walk.h"

/* The variable that OBJECT is in, or NULL: not known, or none. */
const struct syntax *access_root(const struct syntax *object);

/* OBJECT as a word that is the same for the same one. */
const char *access_key(const struct walk *walk, const struct syntax *object);

/* Whether ACCESS is one to OBJECT: in a function that the loop calls its KEY may mean another. */
bool access_is_of(const struct part_of_set *access, const struct syntax *object, const char *key);

/* Notes that something of the variable that OBJECT is in is read, or of any. */
void access_read_somewhere(const struct walk *walk, const struct syntax *object);

/* Memory that decides on VALUE, or on the address of OBJECT; what is true ends the search. */
typedef bool access_visit(void *context, const struct syntax *memory);
bool access_each_decider(const struct syntax *value, access_visit *visit, void *context);
bool access_each_in_address(const struct syntax *object, access_visit *visit, void *context);

/* Whether OBJECT is of a variable that each thread has for itself. */
bool access_is_own(const struct walk *walk, const struct syntax *object);

/*
 * An access to OBJECT, which PIECE names; not KNOWN: something of it is not, and those parts are
 * NULL.
 */
void access_note(struct walk *walk, enum access_set set, const struct syntax *piece,
		 struct syntax *object, bool known);

/* The set of what is written there. */
enum access_set access_written(const struct walk *walk);

#endif
