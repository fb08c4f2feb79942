// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * look.c - loops whose conditions read volatile objects: they may wait for another node.
 *
 * Each look can be a flush, but a loop that only happens to read something volatile must not pay
 * for one each time.  So a flush comes when the last one is long past, measured by what that took.
 */
#include "sync/flush.h"
#include "base/context.h"

/* Ticks of the time-stamp counter. */
#define BETWEEN_FLUSHES 300000u /* at least, some 100 microseconds */
#define BETWEEN_WAITS	30000u	/* of a loop that does nothing else */
#define SHARE		8u	/* a flush may take one part in so many of the time */
#define LONGEST_WAIT	500u	/* microseconds */

CAPE_EXPORT void cape_look_at(const struct cape_place *place, int waits)
{
	struct cape_runtime *runtime = cape_runtime_get();
	uint64_t now, done;

	if (!cape_is_concurrent(runtime))
		return;
	now = __builtin_ia32_rdtsc();
	if (now < runtime->next_look || !cape_log_is_usable(runtime))
		return;
	cape_flush_wait(runtime, place, waits ? LONGEST_WAIT : 0);
	done = __builtin_ia32_rdtsc();
	runtime->next_look =
		done + (waits ? BETWEEN_WAITS : BETWEEN_FLUSHES + SHARE * (done - now));
}
