/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * conflict.h - describing the memory that a data race is about (channel/conflict.h).
 */
#ifndef CAPE_RUNTIME_CONFLICT_H
#define CAPE_RUNTIME_CONFLICT_H

#include "channel/conflict.h"
#include "runtime/runtime.h"

/* What is at ADDRESS; all else of CONFLICT is set to 0. */
void cape_conflict_describe(struct cape_runtime *runtime, uint64_t address,
			    struct cape_conflict *conflict);

/* The window of VALUE around ADDRESS as memory holds it, as far as it is shared memory. */
void cape_conflict_value(struct cape_runtime *runtime, const struct cape_conflict *conflict,
			 unsigned char *value);

#endif
