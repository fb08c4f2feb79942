/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * flush.h - telling a program that waits for news from one that works.
 */
#ifndef CAPE_FLUSH_H
#define CAPE_FLUSH_H

#include "base/context.h"
#include "cape.h"

/* A variable in a flush's list. */
struct cape_flushed {
	const void *address;
	unsigned long size;
};

/* Microseconds that the construct at PLACE may wait for news, when it has nothing to publish. */
uint64_t cape_spin_begin(const struct cape_runtime *runtime, const struct cape_place *place);

/* It goes on; QUIET: there was no news, nor did it publish anything. */
void cape_spin_end(struct cape_runtime *runtime, const struct cape_place *place, bool quiet);

/*
 * A flush of everything that waits up to WAIT microseconds for news if it publishes nothing.
 * Whether there was nothing.
 */
bool cape_flush_wait(struct cape_runtime *runtime, const struct cape_place *place, uint64_t wait);

/* After a flush that would have waited, where a node has threads: they can speak meanwhile. */
void cape_flush_rest(struct cape_runtime *runtime, uint64_t microseconds);

/* Takes what others have published; if there is none, waits for it up to so many MICROSECONDS. */
void cape_flush_await(struct cape_runtime *runtime, uint64_t microseconds);

/* A COUNT: the list is empty, and what the thread does next publishes, too. */
#define CAPE_FLUSH_FIRST (~0ul)

/* What nodes do at the flush construct, and at a look (openmp/constructs.h). */
void cape_node_flush(const struct cape_place *place, unsigned long count,
		     const struct cape_flushed *list);
void cape_node_look_at(const struct cape_place *place, int waits);

/* Looks at something volatile (sync/look.c); times are ticks of the time-stamp counter. */
struct cape_look_state {
	struct cape_looks looks;
	unsigned apart;	  /* looks from one call to the next */
	uint64_t called;  /* the last time */
	uint64_t flushed; /* the last flush was done, ... */
	uint64_t took;	  /* ... and took so long, if it did not wait */
};

/* The next look is a call, on all nodes, whatever came before; if the program has any. */
static inline void cape_look_anew(struct cape_runtime *runtime)
{
	if (runtime->look)
		runtime->look->looks.place = NULL;
}

#endif
