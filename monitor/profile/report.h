/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - cape-run --profile: what each construct of the program costs, on all nodes together.
 */
#ifndef CAPE_MONITOR_PROFILE_REPORT_H
#define CAPE_MONITOR_PROFILE_REPORT_H

#include "base/node.h"

/* Before the program starts: which variables it has. */
void profile_prepare(struct node *node);

/*
 * The run has ended: gathers what all nodes counted; node 0's monitor prints it to stderr, and
 * sends the trace to cape-run.  Collective.
 */
void profile_tell(struct node *node);

/* The run has failed: node 0's monitor prints what its own program has counted. */
void profile_tell_rest(struct node *node);

#endif
