/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * conflict.h - describing the memory that a data race is about (channel/conflict.h).
 */
#ifndef CAPE_RUNTIME_CONFLICT_H
#define CAPE_RUNTIME_CONFLICT_H

#include "channel/conflict.h"
#include "base/context.h"

/* What is at ADDRESS; all else of CONFLICT is set to 0. */
void cape_conflict_describe(struct cape_runtime *runtime, uint64_t address,
			    struct cape_conflict *conflict);

/* Only the window: the bytes around ADDRESS, aligned, that are shared memory too. */
void cape_conflict_window(struct cape_runtime *runtime, uint64_t address,
			  struct cape_conflict *conflict);

/* What memory holds in the window, at its place in VALUE. */
void cape_conflict_value(const struct cape_conflict *conflict, unsigned char *value);

#endif
