/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timers.c - alarm() and interval timers, of which a process has one each: what a node sets in a
 * region the others set, too, when they learn of it; what sequential code asks for is node 0's.
 *
 * The functions take the place of the C library's in the program.
 */
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include "system/libc.h"
#include "memory/calls.h"
#include "message/one_truth.h"
#include "need/need.h"

struct timer {
	int which;
	struct itimerval value;
};

static void set(struct cape_runtime *runtime, const void *arguments)
{
	const struct timer *timer = arguments;

	(void)runtime;
	syscall(SYS_setitimer, timer->which, &timer->value, NULL);
}

CAPE_FUNCTION(int, getitimer, (__itimer_which_t which, struct itimerval *now))
{
	struct cape_runtime *runtime = cape_runtime_get();
	int result;

	cape_need_touch(now, sizeof(*now));
	result = (int)syscall(SYS_getitimer, which, now);
	if (result == 0 && cape_is_replicated(runtime))
		cape_one_truth(runtime, now, sizeof(*now), "getitimer()");
	return result;
}

CAPE_FUNCTION(int, setitimer,
	      (__itimer_which_t which, const struct itimerval *restrict value,
	       struct itimerval *restrict old))
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct timer timer = {.which = (int)which};
	struct itimerval before;
	int result;

	cape_need_touch(value, sizeof(*value));
	result = (int)syscall(SYS_setitimer, which, value, &before);
	if (result < 0)
		return result;
	if (value)
		timer.value = *value;
	if (cape_is_concurrent(runtime))
		cape_calls_note(runtime, CAPE_CALL_ONCE, set, &timer, sizeof(timer));
	if (cape_is_replicated(runtime))
		cape_one_truth(runtime, &before, sizeof(before), "setitimer()");
	if (old)
		*old = before;
	return 0;
}

/* What is left is rounded to seconds, but never to none. */
CAPE_FUNCTION(unsigned int, alarm, (unsigned int seconds))
{
	struct itimerval value = {.it_value.tv_sec = seconds}, old;

	if (setitimer(ITIMER_REAL, &value, &old) < 0)
		return 0;
	if (old.it_value.tv_usec >= 500000 || (!old.it_value.tv_sec && old.it_value.tv_usec))
		old.it_value.tv_sec++;
	return (unsigned int)old.it_value.tv_sec;
}
