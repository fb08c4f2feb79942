/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - what happened when, as Chrome's trace viewer and Perfetto read it (the Trace Event
 * Format), to the file that cape-run has opened.
 */
#ifndef CAPE_MONITOR_PROFILE_TRACE_H
#define CAPE_MONITOR_PROFILE_TRACE_H

#include <stdio.h>
#include "base/node.h"
#include "sum.h"

/* Of node 0; on others nothing is written. */
struct trace_file {
	struct node *node;
	FILE *out;
	uint64_t events, lost;
	int nodes;
	bool threads;
};

/* Of NODES nodes, or THREADS of one. */
void trace_begin(struct trace_file *trace, struct node *node, int nodes, bool threads);

/* Adds an EVENT of NODE, or of that thread; its clock was at ZERO when the run began. */
void trace_event(struct trace_file *trace, const struct sum *sum, int node, uint64_t zero,
		 const struct cape_profile_event *event);

/* LOST events had no room. */
void trace_end(struct trace_file *trace, uint64_t lost);

/* Reports to the user. */
void trace_tell(const struct trace_file *trace);

#endif
