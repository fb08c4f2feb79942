/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * thread_objects.h - what the program's own threads use among each other.
 */
#ifndef CAPE_THREAD_OBJECTS_H
#define CAPE_THREAD_OBJECTS_H

#include <stddef.h>

struct cape_runtime;

/* The caller is about to use SIZE bytes at OBJECT to wait for another thread, or to wake one. */
void cape_thread_object(struct cape_runtime *runtime, const void *object, size_t size);

#endif
