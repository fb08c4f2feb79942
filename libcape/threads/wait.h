/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wait.h - how threads of one process wait for each other: a short look, then asleep in the kernel.
 */
#ifndef CAPE_WAIT_H
#define CAPE_WAIT_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include "system/libc.h"

/* A word that some wait for to change. */
struct cape_signal {
	uint32_t word;
	uint32_t sleepers;
};

static inline void cape_sleep(uint32_t *word, uint32_t seen)
{
	int saved = errno;

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
	errno = saved;
}

static inline void cape_wake(uint32_t *word, int most)
{
	int saved = errno;

	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0);
	errno = saved;
}

/*
 * Until SIGNAL's word is not SEEN, which is looked at LOOKS times before the thread sleeps; whether
 * it slept.
 */
static inline bool cape_signal_await(struct cape_signal *signal, uint32_t seen, unsigned looks)
{
	for (; looks; looks--) {
		if (__atomic_load_n(&signal->word, __ATOMIC_ACQUIRE) != seen)
			return false;
		__builtin_ia32_pause();
	}
	__atomic_fetch_add(&signal->sleepers, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&signal->word, __ATOMIC_SEQ_CST) == seen)
		cape_sleep(&signal->word, seen);
	__atomic_fetch_sub(&signal->sleepers, 1, __ATOMIC_RELAXED);
	return true;
}

/* SIGNAL's word was changed, by a sequentially consistent operation. */
static inline void cape_signal_wake(struct cape_signal *signal)
{
	if (__atomic_load_n(&signal->sleepers, __ATOMIC_SEQ_CST))
		cape_wake(&signal->word, INT_MAX);
}

/* Makes VALUE SIGNAL's word, which nobody else changes just now. */
static inline void cape_signal_set(struct cape_signal *signal, uint32_t value)
{
	__atomic_exchange_n(&signal->word, value, __ATOMIC_SEQ_CST);
	cape_signal_wake(signal);
}

/*
 * A lock of one word: 0 if it is free, else the holder's number, at least 1, doubled, and 1 more if
 * others may sleep.
 */
#define CAPE_WORD_CONTENDED	1u
#define CAPE_WORD_HOLDER(state) ((state) >> 1)

static inline bool cape_word_try(uint32_t *word, uint32_t holder)
{
	uint32_t vacant = 0;

	return __atomic_compare_exchange_n(word, &vacant, holder << 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* Until HOLDER has the lock at WORD (lock.c). */
void cape_word_lock_slowly(uint32_t *word, uint32_t holder, unsigned looks);

static inline void cape_word_lock(uint32_t *word, uint32_t holder, unsigned looks)
{
	if (!cape_word_try(word, holder))
		cape_word_lock_slowly(word, holder, looks);
}

static inline void cape_word_unlock(uint32_t *word)
{
	if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) & CAPE_WORD_CONTENDED)
		cape_wake(word, 1);
}

#endif
