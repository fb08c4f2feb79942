/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * check_state.h - what the files of the check share (check.h).
 */
#ifndef CAPE_CHECK_STATE_H
#define CAPE_CHECK_STATE_H

#include "races/check.h"
#include "base/context.h"
#include "memory/area.h"

#define CHECK_RUNS_LIMIT   (1ull << 30) /* of all nodes */
#define CHECK_EPOCHS_LIMIT (1ull << 32) /* words of clocks */
#define CHECK_PAGES	   (1u << 18)	/* pages times places that one epoch keeps as bitmaps */
#define CHECK_SLOTS	   (4 * CHECK_PAGES)

/* LENGTH bytes, all accessed by one place in one epoch. */
struct check_run {
	uint64_t address;
	uint32_t length;
	uint32_t epoch; /* which of the node's since the last sync point */
	uint64_t place; /* code << 2 | access */
};

/* The bytes of a page that a place has accessed in the epoch that runs. */
struct check_page {
	uint64_t place;
	uint64_t page;
	uint32_t slot; /* that leads here */
	uint64_t bits[CAPE_PAGE / 64];
};

/* Clocks of objects, in shared memory: they come with what a release publishes. */
struct check_clocks {
	uint32_t *row; /* of each object one for each node: its clocks at its last release */
	uint64_t objects;
	uint32_t *own;	/* this task's, private */
	uint32_t lanes; /* of each node: tasks that can be distinguished */
	uint32_t width; /* nodes times lanes */
	uint32_t lane;	/* that runs now, of all nodes' */
	struct check_tasks *tasks;
};

struct cape_check {
	struct check_clocks clocks;
	struct check_page *page;
	uint32_t pages;
	uint32_t *slot; /* number of a page + 1, or 0 */
	struct check_run *run;
	uint64_t runs;
	uint32_t *epoch; /* clocks of each */
	uint32_t epochs;
	bool wrote; /* since the last release */
	bool paused;
	uint64_t atomic, atomic_size;
	struct check_pairs
		*found; /* node 0: pairs of places that were reported (check_compare.c) */
};

/* The accesses up to here are an epoch of their own. */
void cape_check_cut(struct cape_runtime *runtime);

/* Of an epoch: its clocks, and its lane. */
static inline uint64_t cape_check_stride(const struct check_clocks *clocks)
{
	return clocks->width + 1ull;
}

/* Private memory for the clocks, shared memory for those of objects.  0 or negative errno. */
int cape_check_clocks_start(struct cape_runtime *runtime, struct check_clocks *clocks);

/* Private memory for tasks' clocks, and CLOCKS->own.  0 or -ENOMEM. */
int cape_check_tasks_start(struct cape_runtime *runtime, struct check_clocks *clocks);

/* TO has heard of what FROM has, too. */
void cape_check_hear(const struct check_clocks *clocks, uint32_t *to, const uint32_t *from);

/* One node's message about its accesses. */
struct check_message {
	uint64_t epochs, runs;
};

static inline uint64_t cape_check_message_size(uint64_t stride, uint64_t epochs, uint64_t runs)
{
	return sizeof(struct check_message) + ((epochs * stride * 4 + 7) & ~7ull) +
	       runs * sizeof(struct check_run);
}

/* Two accesses that nothing orders. */
struct check_pair {
	uint64_t place[2];
	uint32_t node[2];
	uint64_t address;
};

int cape_check_compare_start(struct cape_runtime *runtime);

/* Of the messages of the exchange just made: the number of pairs that were not reported before. */
uint64_t cape_check_compare(struct cape_runtime *runtime);

/* The end of all pairs; those that are new come last. */
const struct check_pair *cape_check_pairs(const struct cape_runtime *runtime);

#endif
