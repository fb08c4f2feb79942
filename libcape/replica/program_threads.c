// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * program_threads.c - the program makes threads itself, which use memory of this node alone, and
 * waits for them, which the C library does in one way or the other: no trace of that stays.
 */
#include <threads.h>
#include "base/context.h"
#include "need/need.h"

/* Of those that the initial thread makes and waits for, as it does on all nodes. */
static void count(bool done, int by)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (done && cape_is_initial_thread(runtime) && (by > 0 || runtime->made_threads))
		runtime->made_threads += (unsigned)by;
}

CAPE_FUNCTION(int, pthread_create,
	      (pthread_t * thread, const pthread_attr_t *attributes, void *(*function)(void *),
	       void *argument))
{
	int error;

	cape_need_make_thread(cape_runtime_get());
	error = CAPE_OWN_FUNCTION(pthread_create)(thread, attributes, function, argument);
	count(error == 0, 1);
	return error;
}

CAPE_FUNCTION(int, thrd_create, (thrd_t * thread, thrd_start_t function, void *argument))
{
	int error;

	cape_need_make_thread(cape_runtime_get());
	error = CAPE_OWN_FUNCTION(thrd_create)(thread, function, argument);
	count(error == thrd_success, 1);
	return error;
}

CAPE_FUNCTION(int, pthread_join, (pthread_t thread, void **result))
{
	int error = CAPE_OWN_FUNCTION(pthread_join)(thread, result);

	count(error == 0, -1);
	return error;
}

CAPE_FUNCTION(int, thrd_join, (thrd_t thread, int *result))
{
	int error = CAPE_OWN_FUNCTION(thrd_join)(thread, result);

	count(error == thrd_success, -1);
	return error;
}
