/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * files.h - what the parts that open files for sequential code share.
 */
#ifndef CAPE_FILES_H
#define CAPE_FILES_H

#include <stdio.h>
#include "base/context.h"

/* The RESULT and errno that node 0 has, on every node; WHAT names the call. */
long cape_files_agree(struct cape_runtime *runtime, long result, const char *what);

/*
 * This node is about to look at files itself: waits until node 0 has done to them what sequential
 * code did before, be it this code or that before the region.
 */
void cape_files_await_master(struct cape_runtime *runtime);

/* Node 0 is about to change files: waits for those who still read them. */
void cape_files_await_readers(struct cape_runtime *runtime);

/* The descriptor for FILE, which node 0 has just made at PATH: on other nodes of a copy. */
int cape_files_stand_in(struct cape_runtime *runtime, int file, const char *path);

/* As open(), whatever the program calls by that name. */
int cape_files_open(const char *path, int flags, mode_t mode);

/* The flags of an fopen() mode, or -1; whether a file that is opened by FLAGS may change by it. */
int cape_files_mode_flags(const char *mode);
bool cape_files_writes(int flags);

/* As unlink(), whatever the program calls by that name. */
int cape_files_unlink(const char *path);

/* Makes stdio allocate the stream's buffer now, lest several nodes do so in one region. */
void cape_files_get_buffer(FILE *stream);

#endif
