// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * runs.c - a sorted list of pieces of memory.
 */
#include "checkpoint/runs.h"

#include <errno.h>

void cape_runs_init(struct cape_runs *runs, struct cape_memory *memory)
{
	*runs = (struct cape_runs){.memory = memory};
}

void cape_runs_clear(struct cape_runs *runs)
{
	runs->count = 0;
	runs->bytes = 0;
}

void cape_runs_free(struct cape_runs *runs)
{
	if (runs->run)
		runs->memory->resize(runs->memory, runs->run, runs->capacity * sizeof(*runs->run),
				     0);
	cape_runs_init(runs, runs->memory);
}

int cape_runs_reserve(struct cape_runs *runs, size_t extra)
{
	size_t count;

	if (extra <= runs->capacity - runs->count)
		return 0;
	if (__builtin_add_overflow(runs->count, extra, &count))
		return -ENOMEM;
	return cape_memory_grow(runs->memory, (void **)&runs->run, &runs->capacity, count,
				sizeof(*runs->run));
}

int cape_runs_add(struct cape_runs *runs, uint64_t address, uint64_t length)
{
	int error;

	if (address < cape_runs_end(runs) || length > UINT64_MAX - address)
		return -EINVAL;
	if (!length)
		return 0;
	if (runs->count && address == cape_runs_end(runs)) {
		runs->run[runs->count - 1].length += length;
	} else {
		error = cape_runs_reserve(runs, 1);
		if (error)
			return error;
		runs->run[runs->count++] = (struct cape_run){address, length};
	}
	runs->bytes += length;
	return 0;
}
