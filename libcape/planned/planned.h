/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * planned.h - planned exchange: what a loop reads and writes is known before it runs.
 */
#ifndef CAPE_PLANNED_H
#define CAPE_PLANNED_H

#include "base/context.h"
#include "base/job.h"
#include "cape_plan.h"
#include "channel/range.h"
#include "sets/intervals.h"

#define CAPE_PLANS 64u /* loops whose plans are kept */

/* Stretches of memory that nodes exchange by need, in the order of addresses. */
struct cape_known {
	struct cape_range *range;
	size_t count, room;
};

/* What a loop was described to access the last time. */
struct cape_plan {
	const struct cape_place *place; /* of the loop; NULL: there is none */
	uint64_t writes, reads;		/* what was said, as numbers; the first: by all nodes */
	uint64_t stays;			/* as in struct cape_directory: what is left out */
	bool sound;			/* no two nodes write the same, nor what decides on that */
	struct cape_known *write;	/* by each node */
	struct cape_known read;		/* by this one */
	uint64_t known; /* all that is written, as a number: on all nodes the same */
	/* The directory's version when that was written last, and what was of divided pages then.
	 */
	uint64_t version;
	struct cape_plan_piece {
		struct cape_range range;
		unsigned node; /* that writes it */
	} * piece;
	size_t pieces, piece_room;
};

/* A box, as it was described. */
struct cape_described {
	struct cape_box box;
	enum cape_set set;
	unsigned node;
};

struct cape_planned {
	bool tried, usable; /* whether all nodes can read each other's memory is known; they can */
	bool quiet;	    /* after the next sync point a known loop comes, or sequential code */
	/* Of a region that begins with a known loop, without an access before. */
	const struct cape_place *region;

	/* While the sets of a loop are described. */
	struct cape_job job; /* of the node NODE, whose sets these are */
	unsigned node, parts;
	bool reads_failed;	/* this node does not know what it reads: it gets all */
	bool failed;		/* the loop is not one of which all is known */
	uint64_t writes, reads; /* as in struct cape_plan */
	struct cape_described *described;
	size_t described_count, described_room;
	struct cape_intervals *scratch; /* one for each node, for what decides, and for reads */

	struct cape_plan *on; /* of the loop that runs, or NULL */
	struct cape_plan plan[CAPE_PLANS];
};

/*
 * The plan of the loop at PLACE, as it was described; NULL: the loop runs as if nothing were known.
 * The same on all nodes.
 */
struct cape_plan *cape_plan_find(struct cape_runtime *runtime, const struct cape_place *place);

/* The planned way of exchange: by need, and at the end of a known loop without looking. */
void cape_planned_take_way(struct cape_runtime *runtime);

#endif
