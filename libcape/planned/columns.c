// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * columns.c - where each round of a loop accesses one column of a matrix, as of a triangle, the
 * columns become rows when all has been described: a column is as many pieces of memory as it has
 * elements.
 */
#include "planned/planned.h"

#define PIECES_LEAST 4096u /* to be worth it */
#define OPEN_MOST    8u	   /* matrices whose columns come in turns */

/* Columns side by side that are accessed in the same way. */
struct columns {
	size_t last; /* 1 + its number among what was described, whose BEFORE leads to the others */
	size_t count;
	uint64_t pieces, width;
};

/* Of what is read and of what is not: what others read some nodes do not describe. */
struct matrices {
	struct columns open[OPEN_MOST];
	unsigned next; /* goes when another one begins */
};

static struct cape_box box_of(const struct cape_described *described)
{
	struct cape_box box = described->box;

	cape_box_simplify(&box);
	return box;
}

/* Whether NEXT begins where LAST ends, in whatever row. */
static bool are_beside(const struct cape_described *last, const struct cape_described *next)
{
	struct cape_box one = box_of(last), other = box_of(next);
	int64_t stride = one.dimension[0].stride;

	return last->set == next->set && last->node == next->node && last->part == next->part &&
	       last->loops == next->loops && stride == other.dimension[0].stride &&
	       (int64_t)(other.at - one.at - one.size) % stride == 0;
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
	/* Rows of several rounds. */
	described->order = 0;
}

static void make_rows(struct cape_runtime *runtime, const struct columns *columns)
{
	struct cape_planned *planned = runtime->planned;
	struct like like = {runtime, columns->last - 1};
	int64_t stride;

	if (columns->pieces < PIECES_LEAST)
		return;
	stride = box_of(&planned->described[like.number]).dimension[0].stride;
	cape_must_grow(runtime, (void **)&planned->column, &planned->column_room, columns->count,
		       sizeof(*planned->column));
	take_out(planned, columns);
	number_rows(planned->column, columns->count, stride);
	cape_columns_visit(planned->column, columns->count, (uint64_t)stride, describe, &like);
}

/* Those that DESCRIBED is beside, or the ones that have to go for it. */
static struct columns *find(struct cape_runtime *runtime, struct matrices *matrices,
			    const struct cape_described *described, const struct cape_box *box)
{
	const struct cape_planned *planned = runtime->planned;
	struct columns *columns;

	for (unsigned i = 0; i < OPEN_MOST; i++) {
		columns = &matrices->open[i];
		if (columns->last &&
		    columns->width + box->size <= (uint64_t)box->dimension[0].stride &&
		    are_beside(&planned->described[columns->last - 1], described))
			return columns;
	}
	columns = &matrices->open[matrices->next++ % OPEN_MOST];
	make_rows(runtime, columns);
	*columns = (struct columns){0};
	return columns;
}

static void take(struct cape_runtime *runtime, struct matrices *matrices, size_t number)
{
	struct cape_described *described = &runtime->planned->described[number];
	struct cape_box box = box_of(described);
	struct columns *columns;

	if (box.dimensions != 1)
		return;
	columns = find(runtime, matrices, described, &box);
	runtime->planned->described[number].before = columns->last;
	columns->last = number + 1;
	columns->count++;
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
	struct matrices matrices[2] = {0};
	size_t count = planned->described_count;

	for (size_t i = 0; i < count; i++)
		take(runtime, &matrices[planned->described[i].set == CAPE_SET_READ], i);
	for (unsigned i = 0; i < OPEN_MOST; i++) {
		make_rows(runtime, &matrices[0].open[i]);
		make_rows(runtime, &matrices[1].open[i]);
	}
	if (planned->described_count > count)
		remove_taken(planned);
}
