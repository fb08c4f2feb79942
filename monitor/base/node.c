// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * node.c - where a monitor runs.
 */
#include "node.h"

#include <sched.h>

void node_follow_program(struct node *node)
{
	uint32_t processor = node->channel->processor;
	cpu_set_t set;

	if (processor == node->processor || processor >= CPU_SETSIZE)
		return;
	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	if (sched_setaffinity(0, sizeof(set), &set) == 0)
		node->processor = processor;
}
