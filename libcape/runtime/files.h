/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * files.h - passing on what other nodes than 0 write to open files inside a region.
 */
#ifndef CAPE_FILES_H
#define CAPE_FILES_H

#include "runtime/runtime.h"

/* What a node wrote to one descriptor, before the bytes. */
struct cape_file_piece {
	uint64_t size;
	int64_t descriptor;
};

/* Region entry: from here on, what is written counts. */
void cape_files_enter(struct cape_runtime *runtime);

/* Bytes that cape_files_put() needs. */
uint64_t cape_files_size(struct cape_runtime *runtime);
/* What this node wrote since the last time. */
void cape_files_put(struct cape_runtime *runtime, unsigned char *to);
/* Node 0: writes what NODE wrote. */
void cape_files_take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size,
		     unsigned node);

#endif
