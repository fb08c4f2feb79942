// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * team.c - nodes of one thread each, which describes all loops; and what a node has to know of
 * others.
 */
#include "need/divided.h"
#include "need/need.h"
#include "planned/planned.h"

static bool describes(void)
{
	return true;
}

static void gather(void)
{
}

const struct cape_plan_team cape_plan_team_of_nodes = {
	.shares = cape_is_shared_out,
	.describes = describes,
	.gather = gather,
};

bool cape_plan_knows_all(const struct cape_runtime *runtime)
{
	return runtime->need->divided.sends || runtime->threads > 1;
}

bool cape_plan_fits_run(const struct cape_runtime *runtime)
{
	/* A program that holds accesses against its sets describes no plans. */
	return runtime->need->on && runtime->nodes <= CAPE_DIVIDED_NODES && !runtime->sets_asked &&
	       !(runtime->channel->flags & CAPE_CHANNEL_SAVE) && !runtime->need->interrupts;
}
