/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * watch.h - looking for a while whether others have changed a word on the board, before one sleeps.
 *
 * Where each node has a processor it looks all the time.  Else it lets others run in between, as
 * long as they give the processor back soon: whoever sleeps is woken at the cost of several of such
 * turns, but the kernel makes those who yield wait for those who compute.
 */
#ifndef CAPE_WATCH_H
#define CAPE_WATCH_H

#include <sys/syscall.h>
#include "channel/channel.h"
#include "channel/futex.h"
#include "system/libc.h"

#define CAPE_WATCH_PASSES 2000u	  /* some ten microseconds */
#define CAPE_WATCH_YIELDS 12u	  /* the same, if nobody else computes */
#define CAPE_WATCH_LONG	  150000u /* ticks: others compute */
#define CAPE_WATCH_LATER  50u	  /* waits without a look from then on */

/*
 * Who waits for longer than that does so with the monitors, who see to it that nobody waits for
 * ever.
 */
static const struct timespec cape_watch_longest = {.tv_nsec = 20000000};

/* Lets others run; false: it was not tried, or they compute for long. */
static inline bool cape_watch_yield(struct cape_channel *channel)
{
	uint64_t before;

	if (channel->board.crowded) {
		channel->board.crowded--;
		return false;
	}
	before = __builtin_ia32_rdtsc();
	syscall(SYS_sched_yield);
	if (__builtin_ia32_rdtsc() - before <= CAPE_WATCH_LONG)
		return true;
	channel->board.crowded = CAPE_WATCH_LATER;
	return false;
}

static inline bool cape_watch_yields(struct cape_channel *channel, const uint32_t *word,
				     uint32_t seen)
{
	bool more = true;

	for (unsigned i = 0; more && i < CAPE_WATCH_YIELDS; i++) {
		more = cape_watch_yield(channel);
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != seen)
			return true;
	}
	return false;
}

/* Whether WORD has become another than SEEN, which it was. */
static inline bool cape_watch(struct cape_channel *channel, const uint32_t *word, uint32_t seen)
{
	if (!channel->board.spin)
		return cape_watch_yields(channel, word, seen);
	for (unsigned i = 0; i < CAPE_WATCH_PASSES; i++) {
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != seen)
			return true;
		__builtin_ia32_pause();
	}
	return false;
}

/*
 * The same, then sleeps until cape_watch_wake(), or for LONGEST; at once if WORD is not SEEN any
 * more.  SLEEPING counts who does.
 */
static inline void cape_watch_or_sleep(struct cape_channel *channel, uint32_t *word, uint32_t seen,
				       uint32_t *sleeping, const struct timespec *longest)
{
	if (cape_watch(channel, word, seen))
		return;
	__atomic_fetch_add(sleeping, 1, __ATOMIC_SEQ_CST);
	cape_futex_wait(word, seen, longest);
	__atomic_fetch_sub(sleeping, 1, __ATOMIC_SEQ_CST);
}

/* WORD was changed, by an access that is sequentially consistent. */
static inline void cape_watch_wake(uint32_t *word, const uint32_t *sleeping)
{
	if (__atomic_load_n(sleeping, __ATOMIC_SEQ_CST))
		cape_futex_wake_all(word);
}

#endif
