// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lock_exports.c - the routines of locks, as the object in use does them.
 */
#include "openmp/constructs.h"

/* Any code may call these, by a pointer too: so they themselves say it. */
static __attribute__((constructor(102))) void say(void)
{
	cape_takes();
}

/* In programs these are macros, which name their line. */
#undef omp_destroy_lock
#undef omp_set_lock
#undef omp_unset_lock
#undef omp_destroy_nest_lock
#undef omp_set_nest_lock
#undef omp_unset_nest_lock

CAPE_EXPORT void cape_place(const char *file, int line)
{
	cape_constructs->locks->lock_placed(&(struct cape_place){.file = file, .line = line});
}

CAPE_EXPORT void omp_init_lock(omp_lock_t *lock)
{
	lock->owner = CAPE_LOCK_FREE;
}

CAPE_EXPORT void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint)
{
	(void)hint;
	omp_init_lock(lock);
}

CAPE_EXPORT void omp_destroy_lock(omp_lock_t *lock)
{
	if (lock->owner != CAPE_LOCK_FREE)
		cape_constructs->locks->lock_misused("omp_destroy_lock() of a lock that is set",
						     lock);
}

CAPE_EXPORT_IS(void, omp_set_lock, (omp_lock_t * lock), cape_constructs->locks->set_lock(lock))
CAPE_EXPORT_IS(void, omp_unset_lock, (omp_lock_t * lock), cape_constructs->locks->unset_lock(lock))
CAPE_EXPORT_IS(int, omp_test_lock, (omp_lock_t * lock), cape_constructs->locks->test_lock(lock))

CAPE_EXPORT void omp_init_nest_lock(omp_nest_lock_t *lock)
{
	lock->owner = CAPE_LOCK_FREE;
	lock->depth = 0;
}

CAPE_EXPORT void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint)
{
	(void)hint;
	omp_init_nest_lock(lock);
}

CAPE_EXPORT void omp_destroy_nest_lock(omp_nest_lock_t *lock)
{
	if (lock->owner != CAPE_LOCK_FREE)
		cape_constructs->locks->lock_misused(
			"omp_destroy_nest_lock() of a lock that is set", lock);
}

CAPE_EXPORT_IS(void, omp_set_nest_lock, (omp_nest_lock_t * lock),
	       cape_constructs->locks->set_nest_lock(lock))
CAPE_EXPORT_IS(void, omp_unset_nest_lock, (omp_nest_lock_t * lock),
	       cape_constructs->locks->unset_nest_lock(lock))
CAPE_EXPORT_IS(int, omp_test_nest_lock, (omp_nest_lock_t * lock),
	       cape_constructs->locks->test_nest_lock(lock))

/* So that nodes' are linked where there are locks. */
__attribute__((used)) static const struct cape_lock_calls *const of_nodes = &cape_locks_of_nodes;
