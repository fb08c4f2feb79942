// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * own_stack.c - which memory a thread of the pool has for its stack, and for handlers when that is
 * full.
 *
 * Nobody uses the latter while the program lives, so it takes addresses alone.
 */
#include "threads/own_stack.h"

#include <signal.h>
#include <sys/syscall.h>
#include "replica/death.h"
#include "system/libc.h"

void *cape_own_stack_reserve(struct cape_runtime *runtime)
{
	if (!runtime->death || !runtime->death->on)
		return NULL;
	return cape_private_reserve(&runtime->private, CAPE_DEATH_STACK);
}

void cape_own_stack_of_handlers(void *memory)
{
	stack_t stack = {.ss_sp = memory, .ss_size = CAPE_DEATH_STACK}, old;

	if (memory && syscall(SYS_sigaltstack, NULL, &old) == 0 && (old.ss_flags & SS_DISABLE))
		syscall(SYS_sigaltstack, &stack, NULL);
}

void cape_own_stack_take(struct cape_worker *worker, void *handlers)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;

	if (!handlers || pthread_getattr_np(pthread_self(), &attributes) != 0)
		return;
	if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
		worker->stack_start = (uint64_t)(uintptr_t)start;
		worker->stack_end = worker->stack_start + size;
	}
	pthread_attr_destroy(&attributes);
	cape_own_stack_of_handlers(handlers);
}
