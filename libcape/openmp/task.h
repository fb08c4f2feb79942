/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * task.h - what a node knows of tasks: those that run here, and those it hands over.
 */
#ifndef CAPE_TASK_H
#define CAPE_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cape.h"
#include "openmp/contributions.h"
#include "openmp/openmp.h"

#define CAPE_TASK_LABELS       64ul	    /* of one construct whose durations are known */
#define CAPE_TASK_VALUES_LIMIT (1ull << 30) /* bytes of the firstprivate values of one task */
#define CAPE_TASKS_LIMIT       (1ul << 20)  /* tasks inside each other */

/* A task that runs here. */
struct cape_running_task {
	bool final;   /* so are all inside it */
	bool checked; /* it has clocks of its own (races/check.h) */
	int label;    /* 0: it was not offered to others */
	uint64_t started;
	struct cape_settings settings; /* of the task around it */
};

struct cape_tasks {
	struct cape_running_task *running; /* the innermost last */
	size_t depth;

	/* Of the single construct that makes tasks here. */
	const struct cape_place *place;
	uint64_t group;
	bool closed;
	uint64_t posted, posted_in_a_row;
	int refused;			     /* label of the task that runs here instead */
	uint64_t duration[CAPE_TASK_LABELS]; /* of the last one that ran here; 0: none did */

	int label, flags;      /* of the next task */
	unsigned char *values; /* of it, one after the other */
	uint64_t size;
	uint64_t number;	    /* of the task that was taken, in its group */
	const unsigned char *taken; /* what is left of those of that task */
	uint64_t taken_size;

	struct cape_contributions contributions;
};

#endif
