// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * columns.c - where each round of a loop accesses one column of a matrix, as of a triangle, the
 * columns become rows when all has been described: a column is as many pieces of memory as it has
 * elements.
 */
#include "planned/planned.h"

#define PIECES_LEAST 4096u /* to be worth it */
#define ROWS_MOST    (1u << 24)
#define OPEN_MOST    8u /* matrices whose columns come in turns */

/* Columns side by side that are accessed in the same way. */
struct columns {
	size_t last; /* 1 + its number among what was described, whose BEFORE leads to the others */
	size_t count;
	int64_t stride;
	uint64_t end; /* of its first piece */
	uint64_t pieces, width;
};

/* Of what is read and of what is not: what others read some nodes do not describe. */
struct open_columns {
	struct columns of[OPEN_MOST];
	unsigned next; /* they go when others begin */
};

static struct cape_box box_of(const struct cape_described *described)
{
	struct cape_box box = described->box;

	cape_box_simplify(&box);
	return box;
}

/* Whether BOX, which NEXT describes, begins where COLUMNS end, in whatever row. */
static bool are_beside(const struct columns *columns, const struct cape_described *last,
		       const struct cape_described *next, const struct cape_box *box)
{
	return columns->stride == box->dimension[0].stride &&
	       (int64_t)(box->at - columns->end) % columns->stride == 0 &&
	       columns->width + box->size <= (uint64_t)columns->stride &&
	       cape_described_are_alike(last, next);
}

/* COLUMNS as they are described, the first one first; they are described no longer. */
static void take_out(struct cape_planned *planned, const struct columns *columns)
{
	size_t at = columns->last;

	for (size_t i = columns->count; i-- > 0; at = planned->described[at - 1].before) {
		struct cape_box box = box_of(&planned->described[at - 1]);

		planned->column[i] = (struct cape_column){
			.end = (int64_t)box.dimension[0].count, .at = box.at, .size = box.size};
		planned->described[at - 1].box.size = 0;
	}
}

/* Counts rows from where the first column begins. */
static void number_rows(struct cape_column *column, size_t count, int64_t stride)
{
	for (size_t i = 1; i < count; i++) {
		const struct cape_column *last = &column[i - 1];

		column[i].first = (int64_t)(column[i].at - last->at - last->size) / stride;
		column[i].end += column[i].first;
		column[i].at -= (uint64_t)(column[i].first * stride);
	}
}

/* What RUNTIME has described like the number LIKE. */
struct like {
	struct cape_runtime *runtime;
	size_t number;
};

static void describe(void *context, const struct cape_box *box)
{
	const struct like *like = context;
	struct cape_planned *planned = like->runtime->planned;
	struct cape_described *described;

	cape_must_grow(like->runtime, (void **)&planned->described, &planned->described_room,
		       planned->described_count + 1, sizeof(*described));
	described = &planned->described[planned->described_count++];
	*described = planned->described[like->number];
	described->box = *box;
	/* Of several rounds, which nothing is compared with (before.c). */
	described->order = 0;
}

static void make_rows(struct cape_runtime *runtime, const struct columns *columns)
{
	struct cape_planned *planned = runtime->planned;
	struct like like = {runtime, columns->last - 1};

	if (columns->pieces < PIECES_LEAST)
		return;
	cape_must_grow(runtime, (void **)&planned->column, &planned->column_room, columns->count,
		       sizeof(*planned->column));
	take_out(planned, columns);
	number_rows(planned->column, columns->count, columns->stride);
	cape_columns_visit(planned->column, columns->count, (uint64_t)columns->stride, describe,
			   &like);
}

/* Those that BOX, which DESCRIBED is, lies beside, or new ones in place of the oldest. */
static struct columns *find(struct cape_runtime *runtime, struct open_columns *open,
			    const struct cape_described *described, const struct cape_box *box)
{
	struct columns *columns;

	for (unsigned i = 0; i < OPEN_MOST; i++) {
		columns = &open->of[i];
		if (columns->last &&
		    are_beside(columns, &runtime->planned->described[columns->last - 1], described,
			       box))
			return columns;
	}
	columns = &open->of[open->next++ % OPEN_MOST];
	make_rows(runtime, columns);
	*columns = (struct columns){.stride = box->dimension[0].stride};
	return columns;
}

static void take(struct cape_runtime *runtime, struct open_columns *open, size_t number)
{
	const struct cape_described *described = &runtime->planned->described[number];
	struct cape_box box = box_of(described);
	struct columns *columns;

	/* A program may say anything. */
	if (box.dimensions != 1 || box.dimension[0].count > ROWS_MOST)
		return;
	columns = find(runtime, open, described, &box);
	runtime->planned->described[number].before = columns->last;
	columns->last = number + 1;
	columns->count++;
	columns->end = box.at + box.size;
	columns->pieces += box.dimension[0].count;
	columns->width += box.size;
}

static void remove_taken(struct cape_planned *planned)
{
	size_t left = 0;

	for (size_t i = 0; i < planned->described_count; i++)
		if (planned->described[i].box.size)
			planned->described[left++] = planned->described[i];
	planned->described_count = left;
}

void cape_plan_join_columns(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;
	struct open_columns open[2] = {0};
	size_t count = planned->described_count;

	for (size_t i = 0; i < count; i++)
		take(runtime, &open[planned->described[i].set == CAPE_SET_READ], i);
	for (unsigned i = 0; i < OPEN_MOST; i++) {
		make_rows(runtime, &open[0].of[i]);
		make_rows(runtime, &open[1].of[i]);
	}
	if (planned->described_count > count)
		remove_taken(planned);
}
