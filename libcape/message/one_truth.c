/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * one_truth.c - node 0's bytes, on every node.
 */
#include "message/one_truth.h"

#include <errno.h>
#include <string.h>
#include "message/exchange.h"

void cape_one_truth(struct cape_runtime *runtime, void *value, size_t size, const char *what)
{
	struct cape_place place = {what, 0};
	const struct cape_message *master;

	cape_exchange(runtime, CAPE_SYNC_TRUTH, value, size, &place);
	if (runtime->node > 0) {
		master = cape_exchange_message(runtime, 0);
		memcpy(value, cape_message_get(master, CAPE_SECTION_FREE), size);
	}
}

void cape_one_truth_value(struct cape_runtime *runtime, void *value, size_t size, const char *what)
{
	int saved_errno = errno;

	if (value && cape_is_replicated(runtime))
		cape_one_truth(runtime, value, size, what);
	errno = saved_errno;
}

long cape_one_truth_result(struct cape_runtime *runtime, long result, const char *what)
{
	long value[] = {result, errno};

	if (cape_is_replicated(runtime)) {
		cape_one_truth(runtime, value, sizeof(value), what);
		errno = (int)value[1];
	}
	return value[0];
}
