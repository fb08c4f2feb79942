// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * look.c - loops whose conditions read volatile objects: they may wait for another node.
 *
 * Each look can be a flush, but a loop that only happens to read something volatile must not pay
 * for one each time.  So a flush comes when the last one is long past, measured by what that took;
 * and a loop that turns fast does not even call to ask for the time at each look, but counts.
 */
#include "sync/flush.h"
#include "memory/apart.h"
#include "base/context.h"
#include "sync/log.h"
#include "base/ordering.h"

CAPE_PART(look, NULL);

/* Ticks of the time-stamp counter. */
#define BETWEEN_CALLS	4000u	/* some microsecond */
#define BETWEEN_FLUSHES 300000u /* at least, some 100 microseconds */
#define BETWEEN_WAITS	30000u	/* of a loop that does nothing else */
#define SHARE		20u	/* a flush may take one part in so many of the time */
#define MOST_APART	256u	/* looks: so many turns of a loop may suddenly be slow ones */
#define LONGEST_WAIT	500u	/* microseconds */

/* Before the run time knows anything, no place has looked yet. */
static const struct cape_looks none;
CAPE_EXPORT struct cape_looks *cape_looks = (struct cape_looks *)&none;

/* While all nodes run alike: the pointer is shared memory, what it leads to is not. */
static __attribute__((constructor)) void start(void)
{
	cape_looks = &cape_runtime_get()->look->looks;
}

/* How many looks of PLACE come before the next call: as many as took the time between two. */
static unsigned apart_now(const struct cape_look_state *look, const struct cape_place *place,
			  uint64_t took)
{
	uint64_t apart = 1;

	if (look->looks.place == place && took)
		apart = look->apart * (uint64_t)BETWEEN_CALLS / took;
	if (apart > 2ull * look->apart)
		apart = 2ull * look->apart;
	if (apart > MOST_APART)
		apart = MOST_APART;
	return apart ? (unsigned)apart : 1;
}

/* Sequential code calls as often on each node, for a call leaves something on the stack. */
static void count_looks(struct cape_look_state *look, const struct cape_place *place, uint64_t now,
			bool concurrent)
{
	look->apart = concurrent ? apart_now(look, place, now - look->called) : MOST_APART;
	look->looks.place = place;
	look->looks.left = look->apart;
	look->called = now;
}

CAPE_APART(void, cape_node_look_at, (const struct cape_place *place, int waits))
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_look_state *look = runtime->look;
	uint64_t now = __builtin_ia32_rdtsc();
	uint64_t pause = waits ? BETWEEN_WAITS : BETWEEN_FLUSHES + SHARE * look->took;
	bool concurrent = cape_is_concurrent(runtime), quiet;

	if (!waits)
		count_looks(look, place, now, concurrent);
	if (!concurrent || now - look->flushed < pause || !cape_log_is_usable(runtime))
		return;
	runtime->ordering->speak(runtime);
	quiet = cape_flush_wait(runtime, place, waits ? LONGEST_WAIT : 0);
	look->called = look->flushed = __builtin_ia32_rdtsc();
	look->took = waits ? 0 : look->flushed - now;
	runtime->ordering->be_silent(runtime);
	if (quiet && waits)
		cape_flush_rest(runtime, LONGEST_WAIT);
}
