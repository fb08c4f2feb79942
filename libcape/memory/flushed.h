/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * flushed.h - static variables that the program flushes by their names (CAPE_FLUSHED in cape.h):
 * threads wait for them, and what was written before has to be seen with them.
 *
 * In exchange by need their pages are with all nodes at any time.  Where a node has threads, what
 * one of them publishes may have another one's change of such a variable in it: so these are read
 * before all else, and published after it.
 */
#ifndef CAPE_FLUSHED_H
#define CAPE_FLUSHED_H

#include <stdbool.h>
#include <stdint.h>
#include "base/ranges.h"

struct cape_runtime;

/* Lists those in shared memory; not what is so large that it is no flag. */
void cape_flushed_start(struct cape_runtime *runtime);

/*
 * How many of the LENGTH bytes at ADDRESS, from the first on, all belong to such variables (*IS),
 * or all do not.
 */
uint64_t cape_flushed_part(const struct cape_runtime *runtime, uint64_t address, uint64_t length,
			   bool *is);

#endif
