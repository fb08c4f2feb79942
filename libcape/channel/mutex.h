/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mutex.h - a lock of few instructions in memory that processes share.
 *
 * Who dies with it takes the run along, so nobody looks for a dead holder.
 */
#ifndef CAPE_MUTEX_H
#define CAPE_MUTEX_H

#include <stdint.h>
#include "channel/futex.h"

/* 0: free; 1: held; 2: held, and others may sleep. */
struct cape_mutex {
	uint32_t state;
};

#define CAPE_MUTEX_LOOKS 100 /* before one sleeps */

static inline void cape_mutex_lock(struct cape_mutex *mutex)
{
	uint32_t before = 0;

	for (int i = 0; i < CAPE_MUTEX_LOOKS; i++, before = 0) {
		if (__atomic_compare_exchange_n(&mutex->state, &before, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return;
		__builtin_ia32_pause();
	}
	while (__atomic_exchange_n(&mutex->state, 2, __ATOMIC_ACQUIRE))
		cape_futex_wait(&mutex->state, 2, NULL);
}

static inline void cape_mutex_unlock(struct cape_mutex *mutex)
{
	if (__atomic_exchange_n(&mutex->state, 0, __ATOMIC_RELEASE) == 2)
		cape_futex_wake(&mutex->state, 1);
}

#endif
