/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * written.h - the memory that a region can write to, as far as the translator knows.
 */
#ifndef CAPE_WRITTEN_H
#define CAPE_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include "memory/area.h"

struct cape_runtime;

#define CAPE_WRITTEN_LIMIT 16

struct cape_written {
	/* Of the heap. */
	bool known; /* else everything */
	size_t count;
	struct cape_range range[CAPE_WRITTEN_LIMIT]; /* whole pages, in order, apart */
	/* Of all that nodes exchange by need, in order, where that has to be looked for. */
	bool loop_known; /* else everything */
	size_t loop_count;
	const struct cape_range *loop_range;
};

/* The size of blocks that the program has said before. */
#define CAPE_WRITTEN_BLOCKS 64

struct cape_written_blocks {
	struct cape_written_block {
		uint64_t start;
		size_t size;	  /* usable, */
		uint64_t changes; /* at cape_heap_changes() */
	} block[CAPE_WRITTEN_BLOCKS];
};

/* An active region begins: what was said of it holds from now on. */
void cape_written_enter(struct cape_runtime *runtime);
/* It has ended. */
void cape_written_leave(struct cape_runtime *runtime);

#endif
