/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * watched.h - threads under a monitor: the object that does what threads do, and reports it.
 *
 * A program that runs by itself uses cape_constructs_of_threads, and pays for none of this.
 */
#ifndef CAPE_WATCHED_H
#define CAPE_WATCHED_H

#include "openmp/constructs.h"

struct cape_watched {
	const struct cape_constructs *constructs; /* that were chosen when the program began */
	void (*end)(enum cape_directive directive, const struct cape_place *place); /* of them */
};

/* For a run of which the monitor wants to know what the channel's flags say. */
const struct cape_constructs *cape_watched_start(struct cape_runtime *runtime);

/* What the watched object does, for another around it. */
void cape_watched_begin_at(enum cape_directive directive, unsigned long first, unsigned long last,
			   const struct cape_place *place);
void cape_watched_region_run(void (*body)(void *data), void *data);
void cape_watched_end(enum cape_directive directive, const struct cape_place *place);
void cape_watched_barrier_at(const struct cape_place *place);

/* In a run that goes on from a save, before memory comes from there: no thread has begun yet. */
void cape_watched_prepare_threads(struct cape_runtime *runtime);

#endif
