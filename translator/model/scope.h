/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scope.h - what the variables hold that a loop changes, at one place of it. */
#ifndef CAPE_TRANSLATOR_SCOPE_H
#define CAPE_TRANSLATOR_SCOPE_H

#include <stdbool.h>

#include "read/syntax.h"
#include "read/text.h"

struct binding {
	unsigned int declaration;
	struct syntax *value;	 /* NULL: not known */
	unsigned int changed_at; /* where it was last given a value that is not known */
};

/* A later binding of a variable holds. */
typedef LIST(struct binding) binding_list;

/* What the variable holds; NULL: the loop does not change it. */
const struct binding *scope_find(const binding_list *scope, unsigned int declaration);
void scope_bind(binding_list *scope, unsigned int declaration, struct syntax *value,
		unsigned int offset);

/* The variable of which OBJECT is a part, or NULL: one that is reached by a pointer. */
const struct syntax *scope_variable(const struct syntax *object);

/* The variable that PIECE itself changes, declares, or takes the address of, not one of its parts.
 */
const struct syntax *scope_changed_by(const struct syntax *piece);

/*
 * Nothing is known of variables that PIECE gives values to, or whose addresses it takes, also in
 * the functions that it calls.
 */
void scope_forget(binding_list *scope, const struct syntax_trees *trees,
		  const struct syntax *piece);

/* Whether PIECE gives the variable a value or takes its address. */
bool scope_changes(const struct syntax_trees *trees, const struct syntax *piece,
		   unsigned int declaration);

#endif
