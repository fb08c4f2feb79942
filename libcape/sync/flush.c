// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * flush.c - the flush construct: publish what this node changed, take what others published.
 *
 * A program that waits by looking at a variable flushes it over and over again.  So when none of
 * the listed variables has changed here nothing is published, and a flush that comes right after
 * one at the same place, neither of which did anything, waits for news in the monitor.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include "races/check.h"
#include "sync/flush.h"
#include "memory/apart.h"
#include "memory/shared.h"
#include "base/context.h"
#include "profile/profile.h"
#include "message/port.h"
#include "sync/log.h"
#include "base/ordering.h"

/* Whether the program does nothing but look for news at one place. */
struct cape_spin {
	const struct cape_place *place;
	uint64_t rounds;   /* of loops in which that is known (struct cape_log) */
	unsigned quiet;	   /* times in a row without any */
	uint64_t returned; /* when it went on */
};

CAPE_PART(spin, NULL);

#define SPIN_NS	     5000u /* between two looks: more than this is work */
#define SPIN_STEP    250u  /* microseconds to wait, once more for each quiet look */
#define SPIN_LONGEST 500u
#define REST_SHARE   10u /* what waits for a thread of its own node is to go on soon */

uint64_t cape_spin_begin(const struct cape_runtime *runtime, const struct cape_place *place)
{
	const struct cape_spin *spin = runtime->spin;
	uint64_t wait = (uint64_t)spin->quiet * SPIN_STEP;

	if (spin->place != place || spin->rounds != runtime->log->rounds ||
	    cape_now() - spin->returned > SPIN_NS)
		return 0;
	return wait < SPIN_LONGEST ? wait : SPIN_LONGEST;
}

void cape_spin_end(struct cape_runtime *runtime, const struct cape_place *place, bool quiet)
{
	struct cape_spin *spin = runtime->spin;

	spin->quiet = quiet && spin->place == place ? spin->quiet + 1 : quiet;
	spin->place = place;
	spin->rounds = runtime->log->rounds;
	spin->returned = cape_now();
}

static bool has_changed(struct cape_runtime *runtime, uint64_t address, uint64_t size)
{
	struct cape_area *area;

	if (!size || !cape_shared_holds(runtime, address, size))
		return false;
	area = cape_areas_find(runtime->areas, address, size);
	return memcmp((const void *)(uintptr_t)address, cape_area_twin(area, address, size),
		      size) != 0;
}

static bool any_changed(struct cape_runtime *runtime, unsigned long count,
			const struct cape_flushed *list)
{
	bool any = false;

	for (unsigned long i = 0; i < count; i++)
		any |= has_changed(runtime, (uint64_t)(uintptr_t)list[i].address, list[i].size);
	return any;
}

/* Whether nothing was published since PUBLISHED entries were, by what may look for news. */
static bool is_silent(const struct cape_runtime *runtime, uint64_t published, bool step)
{
	return !step && published == cape_log_said(runtime->log);
}

/* Where a node has threads, others of it want to speak meanwhile. */
static uint64_t wait_within(const struct cape_runtime *runtime, uint64_t microseconds)
{
	return runtime->threads == 1 ? microseconds : 0;
}

void cape_flush_rest(struct cape_runtime *runtime, uint64_t microseconds)
{
	int saved = errno;

	if (runtime->threads > 1 && microseconds)
		cape_port(runtime)->rest(runtime, microseconds / REST_SHARE);
	errno = saved;
}

void cape_flush_await(struct cape_runtime *runtime, uint64_t microseconds)
{
	struct cape_service_request request = {.kind = CAPE_SERVICE_FLUSH};

	request.flush.microseconds = wait_within(runtime, microseconds);
	runtime->ordering->speak(runtime);
	cape_log_ask(runtime, request);
	runtime->ordering->be_silent(runtime);
	cape_flush_rest(runtime, microseconds);
}

bool cape_flush_wait(struct cape_runtime *runtime, const struct cape_place *place, uint64_t wait)
{
	struct cape_service_request request = {.kind = CAPE_SERVICE_FLUSH};
	uint64_t published = cape_log_said(runtime->log);
	bool silent;

	cape_runtime_place(runtime, place);
	request.size = cape_log_collect_release(runtime);
	silent = !request.size && published == cape_log_said(runtime->log);
	if (silent)
		request.flush.microseconds = wait_within(runtime, wait);
	return !cape_log_ask(runtime, request)->entries && silent;
}

CAPE_APART(void, cape_node_flush,
	   (const struct cape_place *place, unsigned long count, const struct cape_flushed *list))
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_service_request request = {.kind = CAPE_SERVICE_FLUSH};
	const struct cape_service_reply *reply;
	bool first = count == CAPE_FLUSH_FIRST, step = !first && count & CAPE_FLUSH_STEP;
	bool publish = !count || first;
	uint64_t published, wait = 0;

	if (!cape_is_concurrent(runtime))
		return;
	runtime->ordering->speak(runtime);
	published = cape_log_said(runtime->log);
	cape_runtime_place(runtime, place);
	cape_profile_begin(runtime, place, "flush");
	publish = publish || any_changed(runtime, count & ~CAPE_FLUSH_STEP, list);
	if (publish)
		cape_check_release(runtime, CAPE_ORDER_FLUSH, 0);
	if (publish)
		request.size = cape_log_collect_release(runtime);
	if (!request.size && is_silent(runtime, published, step))
		wait = cape_spin_begin(runtime, place);
	request.flush.microseconds = wait_within(runtime, wait);
	request.flush.first = first;
	reply = cape_log_ask(runtime, request);
	cape_spin_end(runtime, place, !reply->entries && is_silent(runtime, published, step));
	cape_profile_end(runtime);
	runtime->ordering->be_silent(runtime);
	cape_flush_rest(runtime, wait);
}
