// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * atomic.c - the atomic construct in its general form: the statement under a lock that all atomic
 * variables share (updates whose result nobody asks for: elements.c).
 *
 * One lock, because what waits in elements is settled under it in one go.
 */
#include "cape_atomic.h"
#include "races/check.h"
#include "sync/flush.h"
#include "memory/shared.h"
#include "profile/profile.h"
#include "base/context.h"
#include "channel/service.h"
#include "sync/elements.h"
#include "sync/log.h"
#include "base/ordering.h"
#include "openmp/constructs.h"

/* The atomic construct that this node is in. */
struct cape_atomic_state {
	uint64_t address; /* of its variable, or 0 */
	uint64_t size;
	bool flush; /* publishes everything */
};

CAPE_PART(atomic, NULL);

/* A read needs no lock: entries of the log are applied whole. */
static void read_variable(struct cape_runtime *runtime, const struct cape_place *place)
{
	struct cape_service_request request = {.kind = CAPE_SERVICE_FLUSH};
	uint64_t published = cape_log_said(runtime->log);
	const struct cape_service_reply *reply;

	cape_log_settle_elements(runtime);
	if (published == cape_log_said(runtime->log))
		request.flush.microseconds =
			runtime->threads == 1 ? cape_spin_begin(runtime, place) : 0;
	reply = cape_log_ask(runtime, request);
	cape_spin_end(runtime, place, !reply->entries && published == cape_log_said(runtime->log));
}

void cape_node_atomic_begin_at(const volatile void *variable, unsigned long size, int kind,
			       const struct cape_place *place)
{
	struct cape_runtime *runtime = cape_runtime_get();
	uint64_t address = (uint64_t)(uintptr_t)variable;

	if (!cape_is_concurrent(runtime))
		return;
	/* Until the construct's end: it is short. */
	runtime->ordering->speak(runtime);
	if (!cape_shared_holds(runtime, address, size))
		return;
	cape_runtime_place(runtime, place);
	cape_check_atomic(runtime, address, size);
	if (runtime->atomic->address)
		cape_fail(runtime, 0,
			  "%s:%d: an atomic construct inside another one, in a function that its "
			  "expression calls; evaluate the call before the construct",
			  place->file, place->line);
	if ((kind & ~CAPE_ATOMIC_FLUSH) == CAPE_ATOMIC_READ) {
		read_variable(runtime, place);
		return;
	}
	cape_profile_begin(runtime, place, "atomic");
	cape_log_acquire(runtime, CAPE_LOCK_OF_ATOMICS);
	if (kind & CAPE_ATOMIC_FLUSH)
		cape_check_acquire(runtime, CAPE_ORDER_FLUSH, 0);
	*runtime->atomic = (struct cape_atomic_state){
		.address = address,
		.size = size,
		.flush = (kind & CAPE_ATOMIC_FLUSH) || runtime->elements->count,
	};
	/* From here on their values are published with the variable's. */
	cape_elements_forget(runtime);
}

static void release(struct cape_runtime *runtime)
{
	struct cape_atomic_state atomic = *runtime->atomic;
	struct cape_service_request request = {.kind = CAPE_SERVICE_RELEASE,
					       .id = CAPE_LOCK_OF_ATOMICS};

	runtime->atomic->address = 0;
	if (atomic.flush)
		cape_check_release(runtime, CAPE_ORDER_FLUSH, 0);
	if (atomic.flush)
		request.size = cape_log_collect(runtime);
	else
		request.size = cape_log_collect_range(runtime, atomic.address, atomic.size);
	cape_log_ask(runtime, request);
	cape_profile_end(runtime);
}

void cape_node_atomic_end(void)
{
	struct cape_runtime *runtime = cape_runtime_get();

	/* A thread of the program's own has not begun what the node may be in just now. */
	if (!cape_is_concurrent(runtime))
		return;
	cape_check_atomic(runtime, 0, 0);
	if (runtime->atomic->address)
		release(runtime);
	runtime->ordering->be_silent(runtime);
}
