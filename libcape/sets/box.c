// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * box.c - pieces of memory that are evenly apart, in any number of dimensions.
 */
#include "sets/box.h"

#include <stdlib.h>
#include "system/ranges.h"

static int compare_strides(const void *one, const void *other)
{
	int64_t a = llabs(((const struct cape_dimension *)one)->stride);
	int64_t b = llabs(((const struct cape_dimension *)other)->stride);

	return (a > b) - (a < b);
}

void cape_box_simplify(struct cape_box *box)
{
	unsigned first = 0;

	for (unsigned i = 0; i < box->dimensions; i++)
		if (box->dimension[i].stride < 0) {
			box->at +=
				(uint64_t)box->dimension[i].stride * (box->dimension[i].count - 1);
			box->dimension[i].stride = -box->dimension[i].stride;
		}
	/* Of so few, qsort() does so without memory of the program's. */
	qsort(box->dimension, box->dimensions, sizeof(*box->dimension), compare_strides);
	while (first < box->dimensions && (uint64_t)box->dimension[first].stride <= box->size) {
		box->size +=
			(uint64_t)box->dimension[first].stride * (box->dimension[first].count - 1);
		first++;
	}
	for (unsigned i = first; i < box->dimensions; i++)
		box->dimension[i - first] = box->dimension[i];
	box->dimensions -= first;
}

bool cape_box_read(struct cape_box *box, uint64_t at, uint64_t size, uint64_t dimensions,
		   va_list list)
{
	bool even = true;

	if (dimensions > CAPE_BOX_DIMENSIONS)
		return false;
	/* Dimensions that it does not have are not looked at. */
	box->at = at;
	box->size = size;
	box->dimensions = (unsigned)dimensions;
	for (unsigned i = 0; i < box->dimensions; i++) {
		unsigned long count = va_arg(list, unsigned long);
		unsigned long next = va_arg(list, unsigned long);
		unsigned long last = va_arg(list, unsigned long);

		box->dimension[i] = (struct cape_dimension){count, (int64_t)(next - at)};
		even &= last == at + (next - at) * (count - 1);
	}
	return even;
}

uint64_t cape_box_pieces(const struct cape_box *box)
{
	struct cape_box joined = *box;
	uint64_t pieces = 1;

	cape_box_simplify(&joined);
	for (unsigned i = 0; i < joined.dimensions; i++)
		if (__builtin_mul_overflow(pieces, joined.dimension[i].count, &pieces))
			return UINT64_MAX;
	return pieces;
}

static bool are_as_wide(const struct cape_box *one, const struct cape_box *other)
{
	bool same = one->dimensions == other->dimensions;

	for (unsigned i = 0; i < one->dimensions && same; i++)
		same = one->dimension[i].stride == other->dimension[i].stride;
	return same;
}

/* Dimensions of different counts: how many, and the LAST one. */
static unsigned count_different(const struct cape_box *one, const struct cape_box *other,
				unsigned *last)
{
	unsigned different = 0;

	for (unsigned i = 0; i < one->dimensions; i++)
		if (one->dimension[i].count != other->dimension[i].count) {
			different++;
			*last = i;
		}
	return different;
}

bool cape_box_is_same(const struct cape_box *one, const struct cape_box *other)
{
	unsigned last;

	return one->at == other->at && one->size == other->size && are_as_wide(one, other) &&
	       !count_different(one, other, &last);
}

/* ONE is followed by OTHER in a dimension, the only one in which their counts may differ. */
static bool follows(struct cape_box *one, const struct cape_box *other, unsigned dimension)
{
	struct cape_dimension *along = &one->dimension[dimension];

	if (one->at + along->count * (uint64_t)along->stride != other->at)
		return false;
	along->count += other->dimension[dimension].count;
	return true;
}

bool cape_box_stack(struct cape_box *one, const struct cape_box *other)
{
	struct cape_box second = *other;
	unsigned only = 0, different;

	if (!are_as_wide(one, other) || one->size != other->size)
		return false;
	different = count_different(one, other, &only);
	for (unsigned i = 0; i < one->dimensions && different <= 1; i++) {
		if (different && i != only)
			continue;
		if (follows(one, other, i))
			return true;
		if (follows(&second, one, i)) {
			*one = second;
			return true;
		}
	}
	return false;
}

bool cape_box_lay_beside(struct cape_box *one, const struct cape_box *other)
{
	unsigned last;

	if (!are_as_wide(one, other) || count_different(one, other, &last) ||
	    (one->at + one->size != other->at && other->at + other->size != one->at))
		return false;
	one->at = cape_least(one->at, other->at);
	one->size += other->size;
	return true;
}
