/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * one_truth.h - what sequential code learns from the system is what node 0 learned.
 */
#ifndef CAPE_ONE_TRUTH_H
#define CAPE_ONE_TRUTH_H

#include "base/context.h"

/* Whether the caller is sequential code that runs on several nodes. */
static inline bool cape_is_replicated(const struct cape_runtime *runtime)
{
	return runtime->channel && runtime->started && !runtime->in_region && runtime->nodes > 1 &&
	       cape_is_initial_thread(runtime);
}

/*
 * Makes the SIZE bytes at VALUE those of node 0, on every node.  To be called by sequential code
 * only; all nodes wait for each other.  WHAT names the call for messages.
 */
void cape_one_truth(struct cape_runtime *runtime, void *value, size_t size, const char *what);

/* A RESULT for any caller: in replicated code it becomes node 0's; errno stays. */
void cape_one_truth_value(struct cape_runtime *runtime, void *value, size_t size, const char *what);

/* What a call has given, for any caller: RESULT and errno are node 0's where code is replicated. */
long cape_one_truth_result(struct cape_runtime *runtime, long result, const char *what);

#endif
