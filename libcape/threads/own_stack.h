/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own_stack.h - which memory a thread of the pool has for its stack, and for handlers when that is
 * full.
 */
#ifndef CAPE_OWN_STACK_H
#define CAPE_OWN_STACK_H

#include "threads/worker.h"

/* A stack for handlers that a thread which is started next is to take; NULL: it needs none. */
void *cape_own_stack_reserve(struct cape_runtime *runtime);

/* By the thread itself: it knows its stack, and handlers have HANDLERS, if it has none for them. */
void cape_own_stack_take(struct cape_worker *worker, void *handlers);

/* The calling thread's handlers have MEMORY, if it has none for them. */
void cape_own_stack_of_handlers(void *memory);

#endif
