/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - records in the Trace Event Format, which Perfetto (ui.perfetto.dev) and Chrome's trace
 * viewer open: an instant of its thread for each write.
 */
#ifndef CAPE_TOOLS_TRACE_H
#define CAPE_TOOLS_TRACE_H

#include <stdio.h>
#include "unwind.h"

/* Begins a trace of process PID. */
void trace_begin(const struct naming *naming, uint64_t pid, FILE *out);

/* Adds a record, whose callers UNWIND has.  0 or an errno. */
int trace_record(const struct naming *naming, uint64_t pid, const struct cape_record *record,
		 const struct unwind *unwind, FILE *out);

/* Ends it: RECORDS are in it, and LOST are not. */
void trace_end(uint64_t records, uint64_t lost, FILE *out);

#endif
