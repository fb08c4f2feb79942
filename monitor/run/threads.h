/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.h - how many nodes a run has, and how many threads each.
 */
#ifndef CAPE_RUN_THREADS_H
#define CAPE_RUN_THREADS_H

#include "allocation.h"
#include "options.h"

/* Of one node at most. */
#define THREADS_LIMIT 1024

/*
 * Settles options->nodes and options->threads where the user has not named them: one node here with
 * as many threads as the program finds right (0), and with -np nodes of one thread.  False: they do
 * not go together with each other, or with what else was asked for; a message was printed.
 */
bool threads_settle(struct run_options *options);

/*
 * The same where a batch system has given machines, or the user has named some and no number of
 * nodes: one for each machine, with its slots as threads, as far as they are as many on each and
 * options do not want nodes of one thread; else one for each slot.  Says so.  Where it is not known
 * how many slots named machines have, or there are too many, options->nodes is 0.
 */
bool threads_by_job(struct run_options *options, const struct allocation *allocation);
void threads_by_hosts(struct run_options *options);

/* How many threads each node has; 0: the program's choice; -1: one, which speaks to others only. */
int threads_of_node(const struct run_options *options);

/* Whether the only node's regions are run by threads. */
bool threads_has(const struct run_options *options);

/* Whether nothing but that is asked for, so that the program needs no monitor. */
bool threads_are_all(const struct run_options *options);

#endif
