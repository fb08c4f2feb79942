// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * columns.c - parts of a matrix's columns, one beside the other, as rows.
 *
 * The rows that all columns have are one box.  Of those above and below each half of the columns
 * does the same.
 */
#include "sets/columns.h"

struct rows {
	int64_t first, end;
};

struct visit {
	const struct cape_column *column;
	uint64_t stride;
	void (*box)(void *context, const struct cape_box *box);
	void *context;
};

/* Of ROWS, those that all columns from FIRST to before END have, or, if ANY, at least one. */
static struct rows rows_of(const struct visit *visit, size_t first, size_t end, struct rows rows,
			   bool any)
{
	struct rows found = {visit->column[first].first, visit->column[first].end};

	for (size_t i = first + 1; i < end; i++) {
		const struct cape_column *column = &visit->column[i];

		if ((column->first < found.first) == any)
			found.first = column->first;
		if ((column->end > found.end) == any)
			found.end = column->end;
	}
	if (found.first < rows.first)
		found.first = rows.first;
	if (found.end > rows.end)
		found.end = rows.end;
	return found;
}

static void visit_box(const struct visit *visit, size_t first, size_t end, struct rows rows)
{
	const struct cape_column *from = &visit->column[first], *last = &visit->column[end - 1];
	struct cape_box box = {
		.at = from->at + (uint64_t)rows.first * visit->stride,
		.size = last->at + last->size - from->at,
		.dimensions = rows.end - rows.first > 1,
		.dimension[0] = {(uint64_t)(rows.end - rows.first), (int64_t)visit->stride},
	};

	visit->box(visit->context, &box);
}

/* As deep as COUNT can be halved. */
static void visit_columns(const struct visit *visit, size_t first, size_t end, struct rows rows)
{
	size_t middle = first + (end - first) / 2;
	struct rows any = rows_of(visit, first, end, rows, true), all, rest[2];

	if (any.first >= any.end)
		return;
	all = rows_of(visit, first, end, rows, false);
	if (all.first < all.end)
		visit_box(visit, first, end, all);
	else
		all = (struct rows){any.end, any.end};
	if (end - first == 1)
		return;
	rest[0] = (struct rows){any.first, all.first};
	rest[1] = (struct rows){all.end, any.end};
	for (unsigned i = 0; i < 2; i++)
		if (rest[i].first < rest[i].end) {
			visit_columns(visit, first, middle, rest[i]);
			visit_columns(visit, middle, end, rest[i]);
		}
}

void cape_columns_visit(const struct cape_column *column, size_t count, uint64_t stride,
			void (*visit)(void *context, const struct cape_box *box), void *context)
{
	const struct visit to = {column, stride, visit, context};

	if (count)
		visit_columns(&to, 0, count, (struct rows){INT64_MIN, INT64_MAX});
}
