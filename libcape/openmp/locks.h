/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * locks.h - what locks of nodes and of threads have in common.
 */
#ifndef CAPE_LOCKS_H
#define CAPE_LOCKS_H

#include "cape.h"

#define CAPE_LOCK_FREE 0

/* The caller uses a lock at PLACE. */
void cape_lock_placed(const struct cape_place *place);

/* Ends the run: WHAT was done with LOCK. */
void cape_lock_misused(const char *what, const void *lock) __attribute__((noreturn));

#endif
