/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.h - tasks: what they share, and which of them any node may run. */
#ifndef CAPE_TRANSLATOR_TASK_H
#define CAPE_TRANSLATOR_TASK_H

#include <stdbool.h>

struct unit;
struct directive;
struct item;

/*
 * OpenMP 3.1, 2.9.1.1: gives task INDEX a firstprivate clause of the variables that it mentions,
 * that no clause names and that the threads around do not share; checks default(none).
 */
void task_share(struct unit *unit, int index);

/*
 * Numbers the tasks that any node may run: those that stand in a single construct directly inside
 * a parallel construct, and touch no memory that only the node which meets them has.
 */
void task_find_labels(struct unit *unit);

/* What an in_reduction of TASK adds to, by its ITEM. */
enum task_adds_to {
	TASK_ADDS_TO_NAMED,    /* what the name means where the task is met */
	TASK_ADDS_TO_ORIGINAL, /* what a construct around has a copy of, whose tasks take part */
	TASK_ADDS_TO_COPY,     /* that copy itself, at once: its tasks take no part */
};
enum task_adds_to task_adds_to(const struct unit *unit, const struct directive *task,
			       const struct item *item);

/* Whether what an in_reduction of TASK refers to is a copy that only the node which runs it has. */
bool task_reduces_own(const struct unit *unit, const struct directive *task,
		      const struct item *item);

#endif
