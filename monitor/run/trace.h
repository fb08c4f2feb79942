/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - the file for --profile's trace: cape-run opens it, node 0's monitor says what goes in.
 */
#ifndef CAPE_RUN_TRACE_H
#define CAPE_RUN_TRACE_H

#include <stdbool.h>
#include <stddef.h>

struct trace {
	const char *path; /* NULL: no trace is asked for */
	int file;
	bool begun, failed;
};

/* False: it cannot be written, and a message was printed. */
bool trace_open(struct trace *trace, const char *path);

/* Adds SIZE bytes; the first take the place of what was in the file before. */
void trace_write(struct trace *trace, const void *bytes, size_t size);

/* Takes away a file that is empty.  False: something could not be written; a message was printed.
 */
bool trace_close(struct trace *trace);

#endif
