/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * region_files.h - what a region did to files: collected from all nodes, and settled on all.
 */
#ifndef CAPE_REGION_FILES_H
#define CAPE_REGION_FILES_H

#include <stdint.h>

struct cape_runtime;

/* At a region's end, before the others: what this node has opened and not closed counts. */
void cape_region_files_note_own(struct cape_runtime *runtime);

/* The bytes that cape_region_files_put() needs; what changed here; what changed on NODE. */
uint64_t cape_region_files_size(const struct cape_runtime *runtime);
void cape_region_files_put(const struct cape_runtime *runtime, unsigned char *to);
void cape_region_files_take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size,
			    unsigned node);

/*
 * On all nodes, when each has what changed on the others: what was opened is open everywhere,
 * offsets and copies become what node 0 has, and what the program closed is closed.
 */
void cape_region_files_settle(struct cape_runtime *runtime);

#endif
