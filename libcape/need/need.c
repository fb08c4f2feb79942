// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * need.c - where exchange by need begins and ends: the start, regions and versions.
 */
#include "need/need.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include "base/method.h"
#include "base/ordering.h"
#include "base/model.h"
#include "channel/near.h"
#include "memory/track.h"
#include "message/exchange.h"
#include "heap/heap.h"
#include "need/parts.h"
#include "system/libc.h"

CAPE_PART(need, NULL);

/* Of nobody else's pages the child could get any. */
static void before_fork(void)
{
	struct cape_runtime *runtime = cape_runtime;

	if (!cape_need_is_on(runtime) || !cape_is_member(runtime))
		return;
	runtime->ordering->begin_access(runtime);
	if (runtime->need->closed)
		cape_need_share_all(runtime);
	else
		cape_need_fetch_all(runtime);
	runtime->ordering->end_access(runtime);
}

/* All is common; the program is not watched any more. */
static void stop(struct cape_runtime *runtime)
{
	if (cape_need_is_on(runtime))
		cape_need_release_faults(runtime);
	runtime->need->on = false;
	runtime->way = &cape_way_eager;
}

static void in_child(void)
{
	cape_hidden_close(&cape_runtime->need->hidden);
	stop(cape_runtime);
}

void cape_need_make_thread(struct cape_runtime *runtime)
{
	if (!cape_is_member(runtime))
		return;
	runtime->ordering->begin_access(runtime);
	cape_track_threads(runtime);
	if (!runtime->need->started || cape_need_is_on(runtime))
		runtime->need->threads = true;
	if (cape_need_is_on(runtime) && runtime->need->closed) {
		cape_need_share_all(runtime);
		stop(runtime);
	} else if (cape_need_is_on(runtime)) {
		cape_need_fetch_all(runtime);
	}
	runtime->ordering->end_access(runtime);
}

/* What nodes add to each other's changes of needs all of them to hold all. */
static bool is_possible(const struct cape_runtime *runtime)
{
	return (runtime->channel->flags & CAPE_CHANNEL_NEED) && runtime->nodes > 1 &&
	       !runtime->need->threads && runtime->method->publishes &&
	       !runtime->model->hands_out && !runtime->adds && !runtime->tasks && !runtime->check &&
	       !(runtime->channel->flags & CAPE_CHANNEL_RACES);
}

void cape_need_start(struct cape_runtime *runtime)
{
	struct cape_need *need = runtime->need;

	need->started = true;
	if (!is_possible(runtime))
		return;
	need->claims.range = cape_must_reserve(runtime, CAPE_NEED_LIST);
	need->fetched.range = cape_must_reserve(runtime, CAPE_NEED_LIST);
	need->published.range = cape_must_reserve(runtime, CAPE_NEED_LIST);
	need->opened.range = cape_must_reserve(runtime, CAPE_NEED_LIST);
	need->written.range = cape_must_reserve(runtime, CAPE_NEED_LIST);
	need->unread.range = cape_must_reserve(runtime, CAPE_NEED_LIST);
	need->pushed.range = cape_must_reserve(runtime, CAPE_NEED_LIST);
	need->readers = cape_must_reserve(runtime, CAPE_NEED_LIST);
	need->unannounced.range = cape_must_reserve(runtime, CAPE_NEED_LIST);
	need->announced_later.range = cape_must_reserve(runtime, CAPE_NEED_LIST);
	need->sets = &runtime->directory->sets;
	need->came_early = cape_must_reserve(runtime, runtime->nodes * sizeof(*need->came_early));
	need->page = cape_must_reserve(runtime, CAPE_NEED_LIST);
	need->piece = cape_must_reserve(runtime, CAPE_NEED_LIST);
	need->spare = cape_must_reserve(runtime, CAPE_NEED_LIST);
	need->pieces_left = CAPE_NEED_BORDERS;
	need->unused = cape_must_reserve(runtime, 2 * CAPE_PAGE);
	cape_need_runs_clear(runtime, &need->changed);
	cape_need_runs_clear(runtime, &need->nonowner);
	cape_need_runs_clear(runtime, &need->part);
	need->on = true;
	runtime->way = &cape_way_need;
	cape_directory_start(runtime);
	cape_heap_in_huge_pages(runtime->heap);
	need->passes = cape_hidden_open(&need->hidden, cape_must_reserve(runtime, CAPE_PAGE));
	cape_need_mislearn_start(runtime);
	cape_need_catch_faults(runtime, cape_need_handle);
	/* One thread would see pages that another is about to fill. */
	if (!need->passes && runtime->threads > 1)
		cape_fail(runtime, 0,
			  "node %u: this kernel does not let a program write to its own protected "
			  "memory (/proc/self/mem), which nodes of several threads need to "
			  "exchange by need: run with --exchange eager",
			  runtime->node);
	pthread_atfork(before_fork, NULL, in_child);
}

void cape_need_end(void)
{
	struct cape_runtime *runtime = cape_runtime;

	if (runtime && cape_need_is_on(runtime))
		cape_near_await_all(runtime->channel);
}

void cape_need_raise_version(struct cape_runtime *runtime)
{
	struct cape_channel_fetch *fetch = &runtime->channel->fetch;
	uint64_t one = 1;

	__atomic_store_n(&fetch->served, 0, __ATOMIC_SEQ_CST);
	runtime->need->served = runtime->need->served_near = 0;
	cape_near_begin(runtime->channel, fetch->version);
	__atomic_store_n(&fetch->version, fetch->version + 1, __ATOMIC_SEQ_CST);
	cape_near_raise(runtime->channel, fetch->version);
	if (!__atomic_exchange_n(&fetch->awaited, 0, __ATOMIC_SEQ_CST))
		return;
	while (syscall(SYS_write, CAPE_BELL_FD, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

void cape_need_reduced(struct cape_runtime *runtime)
{
	runtime->need->missed = false;
	cape_need_raise_version(runtime);
	if (runtime->need->threads)
		cape_need_fetch_all(runtime);
}

void cape_need_close(struct cape_runtime *runtime)
{
	runtime->need->closed = true;
	cape_need_shut_all(runtime);
}

void cape_need_reopen(struct cape_runtime *runtime)
{
	runtime->need->closed = false;
	if (!runtime->need->passes)
		cape_need_open_all(runtime);
}

void cape_need_enter(struct cape_runtime *runtime)
{
	/* A library that was loaded since may have said so. */
	if (!is_possible(runtime)) {
		cape_need_share_all(runtime);
		stop(runtime);
		return;
	}
	if (!runtime->need->passes)
		cape_need_open_all(runtime);
	runtime->need->closed = runtime->need->waits = false;
	cape_need_raise_version(runtime);
}

void cape_need_leave(struct cape_runtime *runtime, bool untouched)
{
	runtime->need->closed = true;
	if (runtime->need->ends) {
		cape_need_share_all(runtime);
		stop(runtime);
		return;
	}
	runtime->need->waits = untouched && !runtime->need->handles;
	if (!runtime->need->waits)
		cape_need_shut_all(runtime);
}

void cape_need_touched(struct cape_runtime *runtime)
{
	if (!runtime->need->waits)
		return;
	runtime->need->waits = false;
	cape_need_shut_all(runtime);
}

static void handles(struct cape_runtime *runtime)
{
	runtime->need->handles = true;
	runtime->need->interrupts |= !runtime->in_region;
}

void cape_need_note_handler(struct cape_runtime *runtime, const struct sigaction *action)
{
	if (action && ((action->sa_flags & SA_SIGINFO) ||
		       (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN)))
		handles(runtime);
}
