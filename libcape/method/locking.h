/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * locking.h - what the methods share that have the monitor lock memory and capture pages of it, as
 * struct cape_method wants it (base/method.h).
 */
#ifndef CAPE_LOCKING_H
#define CAPE_LOCKING_H

#include "base/context.h"
#include "memory/area.h"

void cape_locking_start(struct cape_runtime *runtime);

/* What only the master's end counts for keeps its base until the region ends; the rest is locked.
 */
void cape_locking_enter(struct cape_runtime *runtime);
void cape_locking_save(struct cape_runtime *runtime);
uint64_t cape_locking_take_registers(struct cape_runtime *runtime);

/* Of all memory of the process that is private and writable. */
void cape_lock_everything(struct cape_runtime *runtime);
int cape_locking_generate_everything(struct cape_runtime *runtime, bool all,
				     struct cape_runs *runs);

/* Appends what changed in RANGE of AREA.  0 or -ENOMEM. */
int cape_locking_diff(struct cape_runtime *runtime, struct cape_area *area, struct cape_range range,
		      struct cape_runs *runs);

#endif
