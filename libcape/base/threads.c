// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * threads.c - threads and processes that the program makes itself.
 */
#include "base/threads.h"

__thread bool cape_works_on_node, cape_allocates_apart;

/* The channel is the parent's: the child goes on as a program that cape-run has not started. */
static void in_child(void)
{
	struct cape_runtime *runtime = cape_runtime;

	runtime->initial_thread = pthread_self();
	runtime->channel = NULL;
	runtime->node = 0;
	runtime->nodes = 1;
	runtime->in_region = false;
}

void cape_threads_start(struct cape_runtime *runtime)
{
	runtime->initial_thread = pthread_self();
	pthread_atfork(NULL, NULL, in_child);
}

void cape_threads_refuse(struct cape_runtime *runtime, const struct cape_place *place)
{
	if (!cape_is_member(runtime))
		cape_fail(runtime, 0,
			  "%s:%d: node %u: a construct in a thread that the program made itself; "
			  "CAPE runs constructs in the initial thread only",
			  place->file, place->line, runtime->node);
}

void cape_threads_refuse_lock(struct cape_runtime *runtime, const char *name)
{
	const struct cape_channel_state *state =
		runtime->channel ? &runtime->channel->state : &(struct cape_channel_state){0};

	if (!cape_is_member(runtime))
		cape_fail(runtime, 0,
			  "node %u: %s() in a thread that the program made itself; locks of OpenMP "
			  "are for the initial thread only: use a mutex of POSIX (last construct: "
			  "%s:%d)",
			  runtime->node, name, *state->file ? state->file : "none", state->line);
}
