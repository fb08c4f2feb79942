// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lock.c - getting a lock of one word that somebody holds.
 */
#include "threads/wait.h"

/* A look, which leaves the holder's cache line alone. */
static bool look(uint32_t *word, uint32_t holder)
{
	return !__atomic_load_n(word, __ATOMIC_RELAXED) && cape_word_try(word, holder);
}

/* Others may sleep, too: who comes from here has the lock as one for which somebody does. */
static bool take_contended(uint32_t *word, uint32_t holder)
{
	uint32_t vacant = 0;

	return __atomic_compare_exchange_n(word, &vacant, holder << 1 | CAPE_WORD_CONTENDED, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void cape_word_lock_slowly(uint32_t *word, uint32_t holder, unsigned looks)
{
	for (; looks; looks--) {
		if (look(word, holder))
			return;
		__builtin_ia32_pause();
	}
	while (!take_contended(word, holder)) {
		uint32_t state = __atomic_load_n(word, __ATOMIC_RELAXED);

		if (!state)
			continue;
		if (!(state & CAPE_WORD_CONTENDED) &&
		    !__atomic_compare_exchange_n(word, &state, state | CAPE_WORD_CONTENDED, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		cape_sleep(word, state | CAPE_WORD_CONTENDED);
	}
}
