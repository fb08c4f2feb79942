// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * variables.c - the program's static variables, for the run time, which counts what moves of each.
 */
#include <stdlib.h>
#include "channel/profile.h"
#include "debug/symbol.h"
#include "report.h"

static int by_address(const void *a, const void *b)
{
	const struct cape_profile_variable *one = a, *other = b;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	return one->size < other->size ? 1 : one->size > other->size ? -1 : 0;
}

static void add(void *context, uint64_t start, uint64_t size)
{
	struct cape_profile *profile = context;

	if (size && profile->variables < CAPE_PROFILE_VARIABLES)
		profile->variable[profile->variables++] =
			(struct cape_profile_variable){start, size};
}

/* Of those that lie in each other, the larger. */
static void leave_apart(struct cape_profile *profile)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < profile->variables; i++) {
		const struct cape_profile_variable *last = &profile->variable[kept - 1];

		if (!kept || profile->variable[i].start >= last->start + last->size)
			profile->variable[kept++] = profile->variable[i];
	}
	profile->variables = kept;
}

void profile_prepare(struct node *node)
{
	struct cape_profile *profile = cape_channel_profile(node->channel);

	if (!(node->channel->flags & CAPE_CHANNEL_PROFILING))
		return;
	symbol_each(node->options.program, 0, add, profile);
	qsort(profile->variable, profile->variables, sizeof(*profile->variable), by_address);
	leave_apart(profile);
}
