// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * node.c - how a run begins to fail, and where a monitor runs.
 */
#include "node.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fail(struct node *node, int code, const char *format, va_list arguments)
{
	node->failed = true;
	node->loop.cancelled = true;
	node->failure.code = code ? code : 1;
	vsnprintf(node->failure.reason, sizeof(node->failure.reason), format, arguments);
	if (!node->program_ended && node->program > 0)
		kill(node->program, SIGKILL);
}

bool node_fail(struct node *node, int code, const char *format, ...)
{
	va_list arguments;

	if (node->failed)
		return false;
	va_start(arguments, format);
	fail(node, code, format, arguments);
	va_end(arguments);
	return false;
}

void node_end(struct node *node, int status)
{
	if (node->failed)
		return;
	node_fail(node, 1, "%s", "");
	node->failure.code = status;
	node->failure.well = true;
}

bool node_fail_by(struct node *node, enum fault_kind kind, const char *host, int code,
		  const char *format, ...)
{
	va_list arguments;

	if (node->failed)
		return false;
	node->failure.fault.kind = kind;
	snprintf(node->failure.fault.host, FAULT_HOST, "%s", host ? host : "");
	va_start(arguments, format);
	fail(node, code, format, arguments);
	va_end(arguments);
	return false;
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

void node_leave_processor(void)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
}
