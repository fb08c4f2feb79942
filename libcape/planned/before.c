// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * before.c - what a loop reads that the same iterations have written before.
 *
 * In one round of the loops that are around both a write and a read, the write is over before the
 * read begins.  If all that is read in that round has been written there, and both go on alike in
 * the next rounds, nothing is read that comes from elsewhere.
 */
#include "planned/planned.h"
#include "system/ranges.h"

#define DESCRIBED_MOST 4096u /* of more all that is read is brought */

/* How many loops, the outermost first, are around both. */
static unsigned loops_around(const struct cape_described *one, const struct cape_described *other)
{
	uint64_t different = one->loops ^ other->loops;
	unsigned dimensions = (unsigned)cape_least(one->box.dimensions, other->box.dimensions);

	return (unsigned)cape_least(dimensions,
				    different ? (unsigned)__builtin_ctzll(different) / 8 : 8);
}

static bool goes_on_alike(const struct cape_described *one, const struct cape_described *other,
			  unsigned loops)
{
	for (unsigned i = 0; i < loops; i++)
		if (one->box.dimension[i].count != other->box.dimension[i].count ||
		    one->box.dimension[i].stride != other->box.dimension[i].stride)
			return false;
	return true;
}

/* What it is in the first round of the first LOOPS loops. */
static struct cape_box round_of(const struct cape_described *described, unsigned loops)
{
	struct cape_box box = described->box;

	box.dimensions -= loops;
	for (unsigned i = 0; i < box.dimensions; i++)
		box.dimension[i] = box.dimension[i + loops];
	return box;
}

static struct cape_range around(const struct cape_box *box)
{
	struct cape_range range = {box->at, box->at + box->size};

	for (unsigned i = 0; i < box->dimensions; i++) {
		int64_t far = (int64_t)(box->dimension[i].count - 1) * box->dimension[i].stride;

		if (far < 0)
			range.start += (uint64_t)far;
		else
			range.end += (uint64_t)far;
	}
	return range;
}

/* Those of the same iterations that come before READ, and are written in any case. */
static bool comes_before(const struct cape_described *write, const struct cape_described *read)
{
	return (write->set == CAPE_SET_WRITE || write->set == CAPE_SET_FILL) &&
	       write->node == read->node && write->part == read->part && write->order &&
	       write->order < read->order;
}

static unsigned most_loops_around(const struct cape_planned *planned,
				  const struct cape_described *read)
{
	unsigned most = 0;

	for (size_t i = 0; i < planned->described_count; i++) {
		const struct cape_described *write = &planned->described[i];

		if (comes_before(write, read))
			most = (unsigned)cape_greatest(most, loops_around(write, read));
	}
	return most;
}

/* What is written near READ before, in one round of so many LOOPS. */
static bool find_written(struct cape_planned *planned, const struct cape_described *read,
			 unsigned loops)
{
	struct cape_box box = round_of(read, loops);
	struct cape_range range = around(&box);

	cape_intervals_empty(&planned->written);
	for (size_t i = 0; i < planned->described_count; i++) {
		const struct cape_described *write = &planned->described[i];
		struct cape_range written;

		if (!comes_before(write, read) || loops_around(write, read) != loops ||
		    !goes_on_alike(write, read, loops))
			continue;
		box = round_of(write, loops);
		written = around(&box);
		if (written.start < range.end && range.start < written.end &&
		    cape_intervals_add(&planned->written, &box) < 0)
			return false;
	}
	return planned->written.count && cape_intervals_sort(&planned->written) == 0;
}

static bool wrote_all(struct cape_planned *planned, const struct cape_described *read,
		      unsigned loops)
{
	struct cape_intervals *reads = &planned->read;
	struct cape_box box = round_of(read, loops);

	if (!find_written(planned, read, loops))
		return false;
	cape_intervals_empty(reads);
	if (cape_intervals_add(reads, &box) < 0 || cape_intervals_sort(reads) < 0)
		return false;
	for (size_t i = 0; i < reads->count; i++)
		if (cape_intervals_reach(&planned->written, reads->list[i].start) <
		    reads->list[i].end)
			return false;
	return true;
}

bool cape_plan_wrote_before(struct cape_planned *planned, const struct cape_described *read)
{
	bool few = planned->described_count <= DESCRIBED_MOST;
	unsigned loops = read->order && few ? most_loops_around(planned, read) : 0;

	for (; loops; loops--)
		if (wrote_all(planned, read, loops))
			return true;
	return false;
}
