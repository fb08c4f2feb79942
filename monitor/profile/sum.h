/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sum.h - what nodes, or one node's threads, counted of constructs and of memory, added up.
 */
#ifndef CAPE_MONITOR_PROFILE_SUM_H
#define CAPE_MONITOR_PROFILE_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include "channel/profile.h"

#define SUM_NODES CAPE_NODES_LIMIT /* at most */

/* A set of nodes. */
struct sum_nodes {
	uint64_t bits[SUM_NODES / 64];
	int count;
};

struct sum_time {
	uint64_t most; /* of a node */
	int node;      /* whose that is */
	uint64_t all;  /* of all nodes together */
};

struct sum_object {
	struct cape_profile_object object;   /* counts are of all nodes */
	struct sum_nodes who[CAPE_TRAFFICS]; /* did so */
	struct sum_nodes whole;		     /* got all of it */
	struct sum_object *next;	     /* of the same construct */
};

struct sum_construct {
	/* Counts are of all nodes, those of plans and the next two of the node that has most. */
	struct cape_profile_construct construct;
	uint64_t sync_points, times;
	struct sum_time time[CAPE_PHASES], total;
	struct sum_object *objects; /* those that moved most come first, once sorted */
};

struct sum {
	int nodes;
	bool threads;			 /* "nodes" are one node's threads, which move nothing */
	struct sum_construct *construct; /* the first is what is outside of all */
	size_t count, room;
	uint32_t **index; /* by node: where its constructs are in CONSTRUCT, until sorted */
	uint64_t *length; /* by node: of INDEX */
	uint64_t lost_constructs, lost_objects;
};

/* Of NODES nodes, node I with COUNT[I] constructs.  0 or -ENOMEM; sum_free() in any case. */
int sum_start(struct sum *sum, int nodes, const uint64_t *count);
void sum_free(struct sum *sum);

/* Adds node NODE's WHICH-th construct; an object, after all constructs.  0 or -ENOMEM. */
int sum_construct(struct sum *sum, int node, uint64_t which,
		  const struct cape_profile_construct *construct);
int sum_object(struct sum *sum, int node, const struct cape_profile_object *object);

/* Node NODE's WHICH-th construct, as long as nothing is sorted; NULL: there is none. */
struct sum_construct *sum_construct_of(const struct sum *sum, int node, uint64_t which);

/* By cost: constructs but for the first by time, their objects by bytes. */
void sum_sort(struct sum *sum);

/* What they are: "node" or "thread". */
const char *sum_word(const struct sum *sum);

bool sum_has(const struct sum_nodes *nodes, int node);

#endif
