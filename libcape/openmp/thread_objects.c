// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * thread_objects.c - mutexes, condition variables and semaphores of the program's own threads.
 *
 * Once a thread other than the node's has used one, it is this node's own.  Mutexes come from
 * posix_locks.c, the others by the functions that take the place of the C library's here.  What
 * lies on a stack is let be: later it may be something else, which nobody would tell.
 */
#include "openmp/thread_objects.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include "base/own_objects.h"
#include "memory/shared.h"

void cape_thread_object(struct cape_runtime *runtime, const void *object, size_t size)
{
	uint64_t address = (uint64_t)(uintptr_t)object;
	const struct cape_area *area;

	if (runtime->nodes == 1 || !runtime->started || cape_is_member(runtime) ||
	    cape_own_objects_next(runtime, address).start <= address)
		return;
	area = cape_areas_find(runtime->areas, address, size);
	if (area && (area->kind == CAPE_AREA_STATIC || area->kind == CAPE_AREA_HEAP))
		cape_own_objects_add(runtime, address, size);
}

static void note(const void *object, size_t size)
{
	cape_thread_object(cape_runtime_get(), object, size);
}

#define ON_OBJECT(name, type, parameters, arguments)                                               \
	CAPE_FUNCTION(int, name, parameters)                                                       \
	{                                                                                          \
		note(object, sizeof(type));                                                        \
		return CAPE_OWN_FUNCTION(name) arguments;                                          \
	}

ON_OBJECT(pthread_cond_wait, pthread_cond_t, (pthread_cond_t * object, pthread_mutex_t *mutex),
	  (object, mutex))
ON_OBJECT(pthread_cond_timedwait, pthread_cond_t,
	  (pthread_cond_t * object, pthread_mutex_t *mutex, const struct timespec *until),
	  (object, mutex, until))
ON_OBJECT(pthread_cond_signal, pthread_cond_t, (pthread_cond_t * object), (object))
ON_OBJECT(pthread_cond_broadcast, pthread_cond_t, (pthread_cond_t * object), (object))
ON_OBJECT(sem_wait, sem_t, (sem_t * object), (object))
ON_OBJECT(sem_trywait, sem_t, (sem_t * object), (object))
ON_OBJECT(sem_timedwait, sem_t, (sem_t * object, const struct timespec *until), (object, until))
ON_OBJECT(sem_post, sem_t, (sem_t * object), (object))
ON_OBJECT(pthread_barrier_wait, pthread_barrier_t, (pthread_barrier_t * object), (object))
ON_OBJECT(pthread_rwlock_rdlock, pthread_rwlock_t, (pthread_rwlock_t * object), (object))
ON_OBJECT(pthread_rwlock_wrlock, pthread_rwlock_t, (pthread_rwlock_t * object), (object))
ON_OBJECT(pthread_rwlock_unlock, pthread_rwlock_t, (pthread_rwlock_t * object), (object))
