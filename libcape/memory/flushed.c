// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * flushed.c - static variables that the program flushes by their names.
 */
#include "memory/flushed.h"

#include "base/context.h"
#include "memory/area.h"
#include "system/ranges.h"

CAPE_PART(flushed, NULL);

#define FLUSHED_MOST (64 * CAPE_PAGE)

/* The linker lists what programs flush, where they do. */
extern const struct cape_flushed_variable __start_cape_flushed[] __attribute__((weak));
extern const struct cape_flushed_variable __stop_cape_flushed[] __attribute__((weak));

void cape_flushed_start(struct cape_runtime *runtime)
{
	const struct cape_flushed_variable *flushed = __start_cape_flushed;
	size_t count = ((uintptr_t)__stop_cape_flushed - (uintptr_t)flushed) / sizeof(*flushed);

	/* What touches is of one area: between two there is memory of the run time, or none. */
	for (; count--; flushed++) {
		uint64_t address = (uintptr_t)flushed->address;

		if (flushed->size <= FLUSHED_MOST &&
		    cape_areas_find(runtime->areas, address, flushed->size))
			cape_ranges_add(runtime, runtime->flushed,
					(struct cape_range){address, address + flushed->size});
	}
}

uint64_t cape_flushed_part(const struct cape_runtime *runtime, uint64_t address, uint64_t length,
			   bool *is)
{
	const struct cape_ranges *flushed = runtime->flushed;
	size_t i =
		cape_ranges_find(flushed->range, flushed->count, sizeof(*flushed->range), address);
	uint64_t end = UINT64_MAX;

	*is = false;
	if (i < flushed->count) {
		*is = flushed->range[i].start <= address;
		end = *is ? flushed->range[i].end : flushed->range[i].start;
	}
	return cape_least(length, end - address);
}
