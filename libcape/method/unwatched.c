// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * unwatched.c - what a run of one node does in place of its method: nothing, for there is nobody
 * to send changes to.
 */
#include "base/method.h"
#include "memory/area.h"

static int no_changes(struct cape_areas *areas, struct cape_area *area, struct cape_range range,
		      struct cape_runs *runs)
{
	(void)areas, (void)area, (void)range, (void)runs;
	return 0;
}

/* As if nothing had been changed. */
static const unsigned char *at(const struct cape_area *area, uint64_t address, uint64_t end,
			       uint64_t *known)
{
	(void)area;
	*known = end;
	return (const unsigned char *)(uintptr_t)address;
}

static const struct cape_base base = {.diff = no_changes, .at = at};

static void enter(struct cape_runtime *runtime)
{
	(void)runtime;
}

static int generate(struct cape_runtime *runtime, bool all, struct cape_runs *runs)
{
	(void)runtime, (void)all, (void)runs;
	return 0;
}

const struct cape_method cape_method_unwatched = {
	.base = &base,
	.publishes = true,
	.enter = enter,
	.generate = generate,
};
