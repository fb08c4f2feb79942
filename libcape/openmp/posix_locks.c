// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * posix_locks.c - POSIX mutexes and spin locks, which cape-cc calls by these names.
 *
 * In a region of several nodes the service knows who holds a lock; its own memory says it too, in
 * words that the C library knows as "locked".  Elsewhere the lock is the C library's, and may stand
 * between threads that the program made itself.
 */
#include <errno.h>
#include <pthread.h>
#include "base/context.h"
#include "memory/shared.h"
#include "channel/service.h"
#include "openmp/thread_objects.h"
#include "base/ordering.h"

#define SPIN_FREE 1 /* glibc's on x86-64; 0 and less: locked */

/* Any code may call these, by a pointer too: so they themselves say it. */
static __attribute__((constructor(102))) void say(void)
{
	cape_takes();
}

/* cape_sync.h and the translated text call these by hand. */
CAPE_EXPORT int cape_pthread_mutex_lock(pthread_mutex_t *mutex);
CAPE_EXPORT int cape_pthread_mutex_trylock(pthread_mutex_t *mutex);
CAPE_EXPORT int cape_pthread_mutex_unlock(pthread_mutex_t *mutex);
CAPE_EXPORT int cape_pthread_mutex_destroy(pthread_mutex_t *mutex);
CAPE_EXPORT int cape_pthread_spin_lock(pthread_spinlock_t *spin);
CAPE_EXPORT int cape_pthread_spin_trylock(pthread_spinlock_t *spin);
CAPE_EXPORT int cape_pthread_spin_unlock(pthread_spinlock_t *spin);
CAPE_EXPORT int cape_pthread_spin_destroy(pthread_spinlock_t *spin);

/* A lock's word, and what stands there. */
struct lock {
	const void *address;
	size_t size;
	volatile int *word;
	int vacant, mine; /* values of the word */
	const char *name;
};

static int mark(const struct cape_runtime *runtime)
{
	return (int)runtime->ordering->thread(runtime) + 2; /* the C library's: 0 to 2 */
}

static struct lock of_mutex(const struct cape_runtime *runtime, pthread_mutex_t *mutex)
{
	return (struct lock){mutex, sizeof(*mutex),    &mutex->__data.__lock,
			     0,	    mark(runtime) + 1, "pthread_mutex"};
}

static struct lock of_spin(const struct cape_runtime *runtime, pthread_spinlock_t *spin)
{
	return (struct lock){(const void *)spin, sizeof(*spin),	 spin,
			     SPIN_FREE,		 -mark(runtime), "pthread_spin"};
}

static uint64_t number_of(const struct lock *lock)
{
	return CAPE_LOCK_OF_ADDRESS | (uint64_t)(uintptr_t)lock->address;
}

static bool is_at_service(struct cape_runtime *runtime, const struct lock *lock)
{
	return cape_is_concurrent(runtime) &&
	       cape_shared_holds(runtime, (uint64_t)(uintptr_t)lock->address, lock->size);
}

/* The same, of one that is to be locked: what the C library locks is each node's own. */
static bool is_asked_for(struct cape_runtime *runtime, const struct lock *lock)
{
	if (is_at_service(runtime, lock))
		return true;
	cape_thread_object(runtime, lock->address, lock->size);
	return false;
}

_Noreturn static void misused(struct cape_runtime *runtime, const struct lock *lock,
			      const char *what)
{
	cape_fail(runtime, (uint64_t)(uintptr_t)lock->address, "node %u: %s%s: @, at %s:%d",
		  runtime->node, lock->name, what, runtime->channel->state.file,
		  runtime->channel->state.line);
}

_Noreturn static void would_wait(struct cape_runtime *runtime, const struct lock *lock)
{
	misused(runtime, lock,
		"_lock() would wait for this node itself, which has locked it already");
}

/* The service has given the lock to this node. */
static void enter(struct cape_runtime *runtime, const struct lock *lock)
{
	if (*lock->word != lock->vacant)
		misused(runtime, lock,
			"_lock() of a lock that was locked before the parallel region; unlock "
			"it before the region begins");
	*lock->word = lock->mine;
}

static void acquire(struct cape_runtime *runtime, const struct lock *lock)
{
	runtime->ordering->acquire(runtime, number_of(lock));
	enter(runtime, lock);
}

static int try(struct cape_runtime *runtime, const struct lock *lock)
{
	if (!runtime->ordering->try(runtime, number_of(lock)))
		return EBUSY;
	enter(runtime, lock);
	return 0;
}

static int release(struct cape_runtime *runtime, const struct lock *lock)
{
	if (*lock->word != lock->mine)
		misused(runtime, lock, "_unlock() of a lock that this node does not hold");
	*lock->word = lock->vacant;
	runtime->ordering->release(runtime, number_of(lock));
	return 0;
}

/* What locking a mutex again gives, that this node holds; EAGAIN: it would wait for itself. */
static int lock_again(pthread_mutex_t *mutex)
{
	switch (mutex->__data.__kind & 3) {
	case PTHREAD_MUTEX_RECURSIVE_NP:
		mutex->__data.__count++;
		return 0;
	case PTHREAD_MUTEX_ERRORCHECK_NP:
		return EDEADLK;
	default:
		return EAGAIN;
	}
}

int cape_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct lock lock = of_mutex(runtime, mutex);
	int result;

	if (!is_asked_for(runtime, &lock))
		return pthread_mutex_lock(mutex);
	if (*lock.word != lock.mine) {
		acquire(runtime, &lock);
		return 0;
	}
	result = lock_again(mutex);
	if (result == EAGAIN)
		would_wait(runtime, &lock);
	return result;
}

int cape_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct lock lock = of_mutex(runtime, mutex);

	if (!is_asked_for(runtime, &lock))
		return pthread_mutex_trylock(mutex);
	if (*lock.word != lock.mine)
		return try(runtime, &lock);
	return lock_again(mutex) ? EBUSY : 0;
}

int cape_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct lock lock = of_mutex(runtime, mutex);

	if (!is_at_service(runtime, &lock))
		return pthread_mutex_unlock(mutex);
	if (*lock.word != lock.mine && (mutex->__data.__kind & 3))
		return EPERM;
	if (*lock.word == lock.mine && mutex->__data.__count) {
		mutex->__data.__count--;
		return 0;
	}
	return release(runtime, &lock);
}

int cape_pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	return mutex->__data.__lock ? EBUSY : pthread_mutex_destroy(mutex);
}

int cape_pthread_spin_lock(pthread_spinlock_t *spin)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct lock lock = of_spin(runtime, spin);

	if (!is_asked_for(runtime, &lock))
		return pthread_spin_lock(spin);
	if (*lock.word == lock.mine)
		would_wait(runtime, &lock);
	acquire(runtime, &lock);
	return 0;
}

int cape_pthread_spin_trylock(pthread_spinlock_t *spin)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct lock lock = of_spin(runtime, spin);

	if (!is_asked_for(runtime, &lock))
		return pthread_spin_trylock(spin);
	return *lock.word == lock.mine ? EBUSY : try(runtime, &lock);
}

int cape_pthread_spin_unlock(pthread_spinlock_t *spin)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct lock lock = of_spin(runtime, spin);

	return is_at_service(runtime, &lock) ? release(runtime, &lock) : pthread_spin_unlock(spin);
}

int cape_pthread_spin_destroy(pthread_spinlock_t *spin)
{
	return pthread_spin_destroy(spin);
}
