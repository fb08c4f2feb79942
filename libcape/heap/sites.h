/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sites.h - where blocks of the heap were allocated, for messages on data races and for profiles
 * alone.
 */
#ifndef CAPE_SITES_H
#define CAPE_SITES_H

#include <stdint.h>

struct cape_runtime;

struct cape_site {
	uint64_t address; /* of the block, or 0 */
	uint64_t size;
	uint64_t code; /* after the call that allocated it */
};

/* Private memory of a node; TABLE is NULL where nobody asks. */
struct cape_sites {
	struct cape_site *table;
	void (*allocated)(struct cape_runtime *runtime); /* NULL, or called for each allocation */
};

/* From here on, allocations are noted.  0 or -ENOMEM. */
int cape_sites_start(struct cape_runtime *runtime);

/* A block that the program allocated by a call that returns to CODE. */
void cape_sites_note(struct cape_runtime *runtime, const void *block, uint64_t size,
		     const void *code);

/* The block that ADDRESS is in, as far as this node allocated it and still knows; or NULL. */
const struct cape_site *cape_sites_find(const struct cape_runtime *runtime, uint64_t address);

/* The block that begins at ADDRESS, found quickly. */
const struct cape_site *cape_sites_at(const struct cape_runtime *runtime, uint64_t address);

#endif
