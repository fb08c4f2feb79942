// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * threads.c - threads and processes that the program makes itself.
 */
#include "base/threads.h"

#include <sys/single_threaded.h>

static void before_fork(void)
{
	pthread_mutex_lock(&cape_runtime->heap_lock);
}

static void behind_fork(void)
{
	pthread_mutex_unlock(&cape_runtime->heap_lock);
}

/* The channel is the parent's: the child goes on as a program that cape-run has not started. */
static void in_child(void)
{
	struct cape_runtime *runtime = cape_runtime;

	behind_fork();
	runtime->initial_thread = pthread_self();
	runtime->channel = NULL;
	runtime->node = 0;
	runtime->nodes = 1;
	runtime->in_region = false;
	for (size_t i = 0; i < runtime->depth; i++)
		runtime->construct[i].active = false;
}

void cape_threads_start(struct cape_runtime *runtime)
{
	runtime->initial_thread = pthread_self();
	pthread_atfork(before_fork, behind_fork, in_child);
}

void cape_threads_refuse(struct cape_runtime *runtime, const struct cape_place *place)
{
	if (!cape_is_initial_thread(runtime))
		cape_fail(runtime, 0,
			  "%s:%d: node %u: a construct in a thread that the program made itself; "
			  "CAPE runs constructs in the initial thread only",
			  place->file, place->line, runtime->node);
}

bool cape_threads_lock_heap(struct cape_runtime *runtime)
{
	if (__builtin_expect(__libc_single_threaded, 1))
		return false;
	pthread_mutex_lock(&runtime->heap_lock);
	if (runtime->nodes > 1 && !cape_is_initial_thread(runtime))
		cape_heap_apart(&runtime->heap, true);
	return true;
}

void cape_threads_unlock_heap(struct cape_runtime *runtime, bool locked)
{
	if (__builtin_expect(!locked, 1))
		return;
	if (runtime->nodes > 1 && !cape_is_initial_thread(runtime))
		cape_heap_apart(&runtime->heap, false);
	pthread_mutex_unlock(&runtime->heap_lock);
}
