/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mapped.h - memory that was mapped after the start, and is not the run time's: files that the
 * program only reads, what the C library maps for itself.
 */
#ifndef CAPE_SAVE_MAPPED_H
#define CAPE_SAVE_MAPPED_H

#include <stddef.h>
#include "base/context.h"
#include "channel/range.h"

struct cape_mapped_memory {
	struct cape_range range;
	uint64_t readable; /* its end, where a file's is in front of the mapping's */
	uint64_t protection;
};

/* Belongs to struct cape_save. */
struct cape_mapped {
	struct cape_range *known; /* what was mapped at the start, in order, apart */
	size_t known_count;
	struct cape_mapped_memory *list; /* as cape_mapped_refuse() found them last */
	size_t count;
	char *text; /* of /proc/self/maps, a part at a time */
	char why[320];
};

/* The program is about to begin. */
void cape_mapped_start(struct cape_runtime *runtime);

/*
 * Lists what is mapped now.  NULL: all of it can be saved: private memory that nobody writes to,
 * whose contents are saved, and which is private memory without a file in a run that goes on from
 * there.  Else why not, with name and place.
 */
const char *cape_mapped_refuse(struct cape_runtime *runtime);

#endif
