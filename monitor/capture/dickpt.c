// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dickpt.c - method dickpt: all of the program's memory is protected.
 */
#include "checkpointer.h"
#include "protected.h"
#include "trace.h"

/* Linux leaves the last page below 2^47 unused. */
#define MEMORY_END ((1ull << 47) - CAPTURE_PAGE)

/* All of the program's memory but the run time's own. */
static const struct cape_range everything[] = {
	{CAPTURE_PAGE, CAPE_CHANNEL_ADDRESS},
	{CAPE_PRIVATE_END, MEMORY_END},
};

static int lock(struct trace *trace, struct trace_thread *thread)
{
	return protected_lock(trace, thread, everything,
			      sizeof(everything) / sizeof(everything[0]));
}

const struct checkpointer checkpointer_dickpt = {
	.protects = true,
	.lock = lock,
	.save = protected_save,
};
