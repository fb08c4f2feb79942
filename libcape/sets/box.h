/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * box.h - pieces of memory that are evenly apart, in any number of dimensions.
 */
#ifndef CAPE_BOX_H
#define CAPE_BOX_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#define CAPE_BOX_DIMENSIONS 16

/* SIZE bytes at AT, and COUNT times STRIDE bytes further in each dimension. */
struct cape_box {
	uint64_t at, size;
	unsigned dimensions;
	struct cape_dimension {
		uint64_t count; /* at least 1 */
		int64_t stride;
	} dimension[CAPE_BOX_DIMENSIONS];
};

/*
 * Reads the dimensions from LIST, as cape_box() has them.  False: there are too many, or addresses
 * do not grow evenly.
 */
bool cape_box_read(struct cape_box *box, uint64_t at, uint64_t size, uint64_t dimensions,
		   va_list list);

/*
 * The same bytes with positive strides, the smallest first; dimensions that leave no gaps become a
 * part of the size.
 */
void cape_box_simplify(struct cape_box *box);

/* How many pieces of memory it is; UINT64_MAX: too many to count. */
uint64_t cape_box_pieces(const struct cape_box *box);

bool cape_box_is_same(const struct cape_box *one, const struct cape_box *other);

/*
 * Whether ONE has become both, where their dimensions are as wide and as many.  lay_beside: the
 * pieces of one end where those of the other begin.  stack: one goes on where the other ends, in
 * any dimension.
 */
bool cape_box_lay_beside(struct cape_box *one, const struct cape_box *other);
bool cape_box_stack(struct cape_box *one, const struct cape_box *other);

#endif
