/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink.h - writes to stdout and stderr in the order in which bytes came, and sees when that fails.
 */
#ifndef CAPE_RUN_SINK_H
#define CAPE_RUN_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sink;

/* Until sink_close() SIGPIPE is ignored.  NULL: out of memory. */
struct sink *sink_open(void);

void sink_close(struct sink *sink);

/* Takes SIZE bytes for stdout (STREAM 0) or stderr (1).  COUNTED: for sink_written(). */
void sink_put(struct sink *sink, int stream, const void *bytes, size_t size, bool counted);

/* What to wait for until sink_write() can write, or -1: nothing is to be written. */
int sink_descriptor(const struct sink *sink);
void sink_write(struct sink *sink);

/* Bytes taken and not written, and counted bytes that are written. */
size_t sink_waiting(const struct sink *sink);
uint64_t sink_written(const struct sink *sink);

/*
 * Whether a write has failed: what comes is dropped, and a message was printed; but not if there
 * was nobody to read it, of which most programs die in silence.
 */
bool sink_failed(const struct sink *sink);
bool sink_broken_pipe(const struct sink *sink);

/* The run has failed otherwise: drops what comes. */
void sink_refuse(struct sink *sink);

#endif
