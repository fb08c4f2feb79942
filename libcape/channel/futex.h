/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * futex.h - the system call, made directly: a program's own functions must not get in the way.
 */
#ifndef CAPE_FUTEX_H
#define CAPE_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include "system/libc.h"

/* Until somebody wakes, unless WORD is not SEEN any more; LONGEST: at most so long, or NULL. */
static inline void cape_futex_wait(uint32_t *word, uint32_t seen, const struct timespec *longest)
{
	syscall(SYS_futex, word, FUTEX_WAIT, seen, longest, NULL, 0);
}

static inline void cape_futex_wake(uint32_t *word, int most)
{
	syscall(SYS_futex, word, FUTEX_WAKE, most, NULL, NULL, 0);
}

static inline void cape_futex_wake_all(uint32_t *word)
{
	cape_futex_wake(word, INT_MAX);
}

#endif
