/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sizes.h - what types of variable size depend on, as double (*)[n] on n. */
#ifndef CAPE_TRANSLATOR_SIZES_H
#define CAPE_TRANSLATOR_SIZES_H

#include <stdbool.h>
#include <stddef.h>

struct unit;
struct directive;
struct type;
struct variable;

/*
 * Whether the sizes in TYPE are the same wherever it stands in the function around DIRECTIVE: a
 * type keeps what its variables held when it was made, so nothing may change them.  False, too,
 * where something else is in it than names and operators.
 */
bool sizes_stand(const struct unit *unit, const struct directive *directive,
		 const struct type *type);

/*
 * The next variable of that function, or of the file, that TYPE names, if *PLACE is where the
 * search goes on, first 0; NULL: there is no other.
 */
const struct variable *sizes_next(const struct unit *unit, const struct directive *directive,
				  const struct type *type, size_t *place);

#endif
