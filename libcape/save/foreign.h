/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * foreign.h - memory that was mapped after the start, and is not the run time's: files that the
 * program only reads, what the C library maps for itself.
 */
#ifndef CAPE_SAVE_FOREIGN_H
#define CAPE_SAVE_FOREIGN_H

#include <stddef.h>
#include "base/context.h"
#include "channel/range.h"

struct cape_foreign_mapping {
	struct cape_range range;
	uint64_t readable; /* its end, where a file's is in front of the mapping's */
	uint64_t protection;
};

/* Belongs to struct cape_save. */
struct cape_foreign {
	struct cape_range *known; /* what was mapped at the start, in order, apart */
	size_t known_count;
	struct cape_foreign_mapping *list; /* as cape_foreign_refuse() found them last */
	size_t count;
	char *text; /* of /proc/self/maps, a part at a time */
	char why[320];
};

/* The program is about to begin. */
void cape_foreign_start(struct cape_runtime *runtime);

/*
 * Lists what is mapped now.  NULL: all of it can be saved: private memory that nobody writes to,
 * whose contents are saved, and which is private memory without a file in a run that goes on from
 * there.  Else why not, with name and place.
 */
const char *cape_foreign_refuse(struct cape_runtime *runtime);

#endif
