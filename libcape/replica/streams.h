/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * streams.h - stdio's own way to the system leads through libcape, too.
 */
#ifndef CAPE_STREAMS_H
#define CAPE_STREAMS_H

struct cape_runtime;

/* Once, at the start: 0 or -errno. */
int cape_streams_start(struct cape_runtime *runtime);

/* Hands what stdio has buffered to the system. */
void cape_streams_flush(void);

#endif
