/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variables.h - which variables are in a page, for pages that come in the order of addresses.
 */
#ifndef CAPE_VARIABLES_H
#define CAPE_VARIABLES_H

#include <stddef.h>
#include "naming.h"

struct variable {
	uint64_t start, end;
	const char *name;
};

/* All that are zero: there are no names yet. */
struct variables {
	const struct naming *naming; /* or NULL: there never are */
	Dwfl_Module *module;	     /* whose variables these are */
	struct variable *list;	     /* ascending */
	size_t count, capacity;
};

/*
 * The variables that are in the bytes from START on before END, which are in one mapping: the
 * first, and how many.  They stay until the next call.
 */
const struct variable *variables_find(struct variables *variables, uint64_t start, uint64_t end,
				      size_t *count);
void variables_free(struct variables *variables);

#endif
