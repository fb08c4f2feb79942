// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * program_threads.c - the program makes threads itself, which use memory of this node alone, and
 * waits for them, which the C library does in one way or the other: no trace of that stays.
 */
#include <threads.h>
#include "base/context.h"
#include "need/need.h"

CAPE_FUNCTION(int, pthread_create,
	      (pthread_t * thread, const pthread_attr_t *attributes, void *(*function)(void *),
	       void *argument))
{
	cape_need_make_thread(cape_runtime_get());
	return CAPE_OWN_FUNCTION(pthread_create)(thread, attributes, function, argument);
}

CAPE_FUNCTION(int, thrd_create, (thrd_t * thread, thrd_start_t function, void *argument))
{
	cape_need_make_thread(cape_runtime_get());
	return CAPE_OWN_FUNCTION(thrd_create)(thread, function, argument);
}

CAPE_FUNCTION(int, pthread_join, (pthread_t thread, void **result))
{
	return CAPE_OWN_FUNCTION(pthread_join)(thread, result);
}

CAPE_FUNCTION(int, thrd_join, (thrd_t thread, int *result))
{
	return CAPE_OWN_FUNCTION(thrd_join)(thread, result);
}
