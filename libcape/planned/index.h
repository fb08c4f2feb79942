/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * index.h - where entries that are found by a number are in a list, which they are in one after
 * another: few pages are touched while there are few of them.
 */
#ifndef CAPE_PLANNED_INDEX_H
#define CAPE_PLANNED_INDEX_H

#include <stddef.h>
#include <stdint.h>

/* Where one is looked for, and how many are there; how many there are at most. */
#define CAPE_PLAN_SETS 16384u
#define CAPE_PLAN_WAYS 8u
#define CAPE_PLAN_KEPT (CAPE_PLAN_SETS * CAPE_PLAN_WAYS)

/* Zero-initialise it. */
struct cape_plan_index {
	uint32_t at[CAPE_PLAN_SETS][CAPE_PLAN_WAYS]; /* 1 + where in the list; 0: none follows */
	unsigned char next[CAPE_PLAN_SETS]; /* which goes if there is no room for another */
	uint32_t used;			    /* of the list */
};

/* Where those are that NUMBER may have, CAPE_PLAN_WAYS at most. */
static inline const uint32_t *cape_plan_index_find(const struct cape_plan_index *index,
						   uint64_t number)
{
	return index->at[number % CAPE_PLAN_SETS];
}

/* Where in the list there is room for another one of NUMBER; one of before may be there. */
static inline size_t cape_plan_index_add(struct cape_plan_index *index, uint64_t number)
{
	uint64_t set = number % CAPE_PLAN_SETS;
	uint32_t *at = &index->at[set][index->next[set]++ % CAPE_PLAN_WAYS];

	if (!*at)
		*at = ++index->used;
	return *at - 1;
}

#endif
