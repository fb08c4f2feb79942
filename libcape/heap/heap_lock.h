/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap_lock.h - the heap between threads: those of the node, and those that the program makes
 * itself.
 */
#ifndef CAPE_HEAP_LOCK_H
#define CAPE_HEAP_LOCK_H

#include "base/context.h"

/*
 * The heap is one thread's at a time.  Returns whether there are several, and is to be given that
 * at the end.
 */
bool cape_heap_lock(struct cape_runtime *runtime);
void cape_heap_unlock(struct cape_runtime *runtime, bool locked);

/* Under the lock: blocks for the run time itself (NULL: out of memory; 0 or -EFAULT: not one), and
 * cape_heap_parallel(). */
void *cape_heap_lock_allocate(struct cape_runtime *runtime, size_t size);
int cape_heap_lock_release(struct cape_runtime *runtime, void *block);
void cape_heap_lock_parallel(struct cape_runtime *runtime, bool parallel);

/* The same, of memory that is not shared; BLOCK, NULL or one of these, is made as large as SIZE. */
void *cape_heap_lock_allocate_apart(struct cape_runtime *runtime, size_t size, size_t alignment);
void *cape_heap_lock_resize_apart(struct cape_runtime *runtime, void *block, size_t size);

/* By the initial thread, when the program starts: fork() keeps the heap whole. */
void cape_heap_lock_start(void);

#endif
