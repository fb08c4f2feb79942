/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * streams.h - stdio's own way to the system leads through libcape, too.
 */
#ifndef CAPE_STREAMS_H
#define CAPE_STREAMS_H

#include <stdio.h>

struct cape_runtime;

/* Once, at the start: 0 or -errno. */
int cape_streams_start(struct cape_runtime *runtime);

/* Hands what stdio has buffered to the system. */
void cape_streams_flush(void);

/* The same, and no other thread uses a stream from then on, until the other call. */
void cape_streams_hold(void);
void cape_streams_let_go(void);

/*
 * Where a node has threads: the lock of STREAM, which nobody uses yet, or of all there are, in
 * sequential code, is this node's own from then on, at the same address on all.  Returns STREAM.
 */
FILE *cape_streams_lock_apart(struct cape_runtime *runtime, FILE *stream);
void cape_streams_lock_all_apart(struct cape_runtime *runtime);

#endif
