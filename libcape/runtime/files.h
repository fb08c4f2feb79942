/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * files.h - passing on what other nodes than 0 write to open files inside a region.
 */
#ifndef CAPE_FILES_H
#define CAPE_FILES_H

#include <stdio.h>
#include "runtime/runtime.h"

/* What a node wrote to one descriptor, before the bytes. */
struct cape_file_piece {
	uint64_t size;
	int64_t descriptor;
};

/* The RESULT and errno that node 0 has, on every node; WHAT names the call. */
long cape_files_agree(struct cape_runtime *runtime, long result, const char *what);

/* The descriptor for FILE, which node 0 has just made at PATH: on other nodes of a copy. */
int cape_files_stand_in(struct cape_runtime *runtime, int file, const char *path);

/* As unlink(), whatever the program calls by that name. */
int cape_files_unlink(const char *path);

/* Makes stdio allocate the stream's buffer now, lest several nodes do so in one region. */
void cape_files_get_buffer(FILE *stream);

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
