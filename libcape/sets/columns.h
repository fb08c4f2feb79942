/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * columns.h - parts of a matrix's columns, one beside the other, as rows.
 */
#ifndef CAPE_COLUMNS_H
#define CAPE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>
#include "sets/box.h"

/* SIZE bytes at AT, in each of the rows from FIRST to before END. */
struct cape_column {
	int64_t first, end;
	uint64_t at; /* in row 0 */
	uint64_t size;
};

/*
 * COUNT columns of rows that are STRIDE bytes apart, each of which begins where the one before
 * ends: tells VISIT the same bytes, none of them twice, as boxes of at most one dimension.  There
 * are some for each column where rows begin or end one after another, as in a triangle.
 */
void cape_columns_visit(const struct cape_column *column, size_t count, uint64_t stride,
			void (*visit)(void *context, const struct cape_box *box), void *context);

#endif
