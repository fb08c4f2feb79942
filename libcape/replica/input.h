/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * input.h - one standard input for all nodes of a region.
 *
 * Every node has a copy of a file that standard input is (monitor/node/input.c), and so a place of
 * its own in it.  That place is shared memory: it travels with whatever orders the nodes, so that
 * a node reads on after what others read before it.  A pipe or a terminal has no place; there
 * the master reads for all.
 */
#ifndef CAPE_INPUT_H
#define CAPE_INPUT_H

#include <stdbool.h>

struct cape_runtime;

/* Before changes are collected: the place is where this node reads.  LEAVING: a region's end. */
void cape_input_note(struct cape_runtime *runtime, bool leaving);

/* Changes were taken: goes where the place is. */
void cape_input_follow(struct cape_runtime *runtime);

/* After a region's end, when the C library's own memory is the master's: so is its place. */
void cape_input_leave(struct cape_runtime *runtime);

/* Whether it is read like a pipe for the rest of the run, even if it is a file. */
bool cape_input_flows(void);
void cape_input_flow(void);

#endif
