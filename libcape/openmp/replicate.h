/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replicate.h - regions that every node runs in whole, as sequential code, where that takes less
 * time than to share them out.
 */
#ifndef CAPE_REPLICATE_H
#define CAPE_REPLICATE_H

#include "openmp/openmp.h"

#define CAPE_REPLICATE_SITES 256u

/*
 * A region in the source, or what comes between two sync points of it.  The same on all nodes, but
 * for what this one has measured.
 */
struct cape_replicate_site {
	const struct cape_place *place; /* NULL: there is none */
	bool whole;			/* every node runs all of it */
	unsigned runs;			/* since that has been so, or not */
	unsigned team;			/* of the last one */
	unsigned doubt, span;		/* runs in whole till it is tried again; and more then */
	uint64_t overhead;		/* of one that was shared out, in nanoseconds */
	bool promises;			/* to take less time in whole */
	bool proved;			/* in whole it is as quick as it should be: */
	uint64_t cost;			/* what one took */
	unsigned failed;		/* times that it was not */
	uint64_t lost, early;		/* by sharing it out, in all; and in the first runs */
	uint64_t work, time, other;	/* nanoseconds of this node, measured */
	unsigned measured;		/* runs */
};

struct cape_replicate {
	struct cape_replicate_group {
		struct cape_replicate_site site[CAPE_REPLICATE_SITES];
		uint64_t runs, due; /* of all of them; when they are as many, nodes compare */
	} regions, points;
	struct cape_replicate_site *on; /* of the region that runs, or NULL */
	uint64_t began;
	struct cape_replicate_site *last; /* of the region before, or NULL */
	uint64_t ended;			  /* when that did */
	bool is_other;			  /* it is always shared out */
	unsigned points_met;		  /* by it */
	/* The last one: when that was, and this node's work till then. */
	uint64_t point, point_work;
	uint64_t repeated; /* nanoseconds of the region's work that are another node's, too */
};

/*
 * The region CONSTRUCT of TEAM nodes begins: whether every node is to run all of it, for it comes
 * to the same with a team of one.  Now and then all nodes meet here.  end: it has ended, if any.
 */
bool cape_replicate_begin(struct cape_runtime *runtime, const struct cape_construct *construct,
			  unsigned team);
void cape_replicate_end(struct cape_runtime *runtime);

/* The region that runs has spent so many nanoseconds on something that it does not do each time. */
void cape_replicate_leave_out(struct cape_runtime *runtime, uint64_t time);

/*
 * Nodes work together again: what sequential code has waited since the last region it owes to that
 * one, for what the region has changed.
 */
void cape_replicate_follow(struct cape_runtime *runtime);

/*
 * All come to a sync point of REGION of TEAM nodes, or one thread in its place: whether REGION,
 * which has been shared out, is to be run in whole by every node from here on.  Now and then all
 * meet.
 */
bool cape_replicate_from_here(struct cape_runtime *runtime, const struct cape_construct *region,
			      unsigned team);
/* What every node runs in whole begins, as sequential code: memory comes, if that is of use. */
void cape_replicate_bring(struct cape_runtime *runtime);

#endif
