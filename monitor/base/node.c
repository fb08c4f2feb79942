// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * node.c - how a run begins to fail, and where a monitor runs.
 */
#include "node.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

void node_fail(struct node *node, int code, const char *format, ...)
{
	va_list arguments;

	if (node->failed)
		return;
	node->failed = true;
	node->loop.cancelled = true;
	node->failure.code = code ? code : 1;
	va_start(arguments, format);
	vsnprintf(node->failure.reason, sizeof(node->failure.reason), format, arguments);
	va_end(arguments);
	if (!node->program_ended && node->program > 0)
		kill(node->program, SIGKILL);
}

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
