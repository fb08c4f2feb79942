// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * check_task.c - clocks of tasks, which one node runs one after the other, and others need not.
 *
 * A node has some lanes, and a task takes the next one that no task around it has.  Tasks that
 * share a lane are ordered: that hides races, and makes none up.
 */
#include <errno.h>
#include <string.h>
#include "races/check_state.h"

#define LEVELS 16u /* tasks inside each other */

struct check_task {
	uint32_t lane;
	uint32_t *own;
	uint32_t *children; /* that have ended */
	uint32_t *all;	    /* and those inside them */
};

struct check_tasks {
	struct check_task task[LEVELS]; /* the implicit one first */
	uint32_t level, next;		/* lane to try */
	uint32_t *ended;		/* all tasks that have, here */
};

void cape_check_hear(const struct check_clocks *clocks, uint32_t *to, const uint32_t *from)
{
	for (uint32_t i = 0; i < clocks->width; i++)
		if (to[i] < from[i])
			to[i] = from[i];
}

int cape_check_tasks_start(struct cape_runtime *runtime, struct check_clocks *clocks)
{
	struct check_tasks *tasks = cape_private_reserve(&runtime->private, sizeof(*tasks));
	uint64_t size = clocks->width * sizeof(*clocks->own);
	uint32_t *at = cape_private_reserve(&runtime->private, (3ull * LEVELS + 1) * size);

	if (!tasks || !at)
		return -ENOMEM;
	for (uint32_t i = 0; i < LEVELS; i++, at += 3ull * clocks->width)
		tasks->task[i] = (struct check_task){clocks->lane, at, at + clocks->width,
						     at + 2ull * clocks->width};
	tasks->ended = at;
	clocks->own = tasks->task[0].own;
	clocks->tasks = tasks;
	return 0;
}

static bool is_taken(const struct check_tasks *tasks, uint32_t lane)
{
	for (uint32_t i = 0; i <= tasks->level; i++)
		if (tasks->task[i].lane == lane)
			return true;
	return false;
}

/* A lane of this node that no running task has, or the current one. */
static uint32_t find_lane(struct check_clocks *clocks)
{
	struct check_tasks *tasks = clocks->tasks;
	uint32_t first = tasks->task[0].lane;

	for (uint32_t i = 0; i < clocks->lanes; i++) {
		uint32_t lane = first + tasks->next++ % clocks->lanes;

		if (!is_taken(tasks, lane))
			return lane;
	}
	return clocks->lane;
}

static void enter(struct check_clocks *clocks, uint32_t level)
{
	clocks->tasks->level = level;
	clocks->own = clocks->tasks->task[level].own;
	clocks->lane = clocks->tasks->task[level].lane;
}

bool cape_check_task_begin(struct cape_runtime *runtime)
{
	struct check_clocks *clocks = runtime->check ? &runtime->check->clocks : NULL;
	struct check_task *parent, *child;
	uint32_t lane;

	if (!clocks || !cape_is_concurrent(runtime) || clocks->tasks->level == LEVELS - 1)
		return false;
	lane = find_lane(clocks);
	if (lane == clocks->lane)
		return false;
	cape_check_cut(runtime);
	parent = &clocks->tasks->task[clocks->tasks->level];
	child = parent + 1;
	child->lane = lane;
	memcpy(child->own, parent->own, clocks->width * sizeof(*child->own));
	memset(child->children, 0, 2 * clocks->width * sizeof(*child->own));
	child->own[lane] = clocks->tasks->ended[lane] + 1;
	parent->own[parent->lane]++;
	enter(clocks, clocks->tasks->level + 1);
	return true;
}

void cape_check_task_end(struct cape_runtime *runtime)
{
	struct check_clocks *clocks = &runtime->check->clocks;
	struct check_task *child = &clocks->tasks->task[clocks->tasks->level];
	struct check_task *parent = child - 1;

	cape_check_cut(runtime);
	cape_check_hear(clocks, clocks->tasks->ended, child->own);
	cape_check_hear(clocks, parent->children, child->own);
	cape_check_hear(clocks, parent->all, child->own);
	cape_check_hear(clocks, parent->all, child->all);
	enter(clocks, clocks->tasks->level - 1);
}

static void hear_of(struct cape_runtime *runtime, const uint32_t *ended)
{
	cape_check_cut(runtime);
	cape_check_hear(&runtime->check->clocks, runtime->check->clocks.own, ended);
}

void cape_check_task_wait(struct cape_runtime *runtime, bool all)
{
	const struct check_tasks *tasks;

	if (!runtime->check || !cape_is_concurrent(runtime))
		return;
	tasks = runtime->check->clocks.tasks;
	hear_of(runtime, all ? tasks->task[tasks->level].all : tasks->task[tasks->level].children);
}

void cape_check_allocate(struct cape_runtime *runtime)
{
	if (runtime->check && runtime->check->clocks.lanes > 1 && cape_is_concurrent(runtime))
		hear_of(runtime, runtime->check->clocks.tasks->ended);
}
