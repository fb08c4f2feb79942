// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * barrier.c - the barrier: a counter, and a word that changes when all have come.
 */
#include "threads/barrier.h"

#include "threads/reduction.h"

void cape_team_barrier(struct cape_worker *worker)
{
	struct cape_team *team = worker->team;
	uint32_t seen = __atomic_load_n(&team->barrier.word, __ATOMIC_RELAXED);

	if (__atomic_add_fetch(&team->arrived, 1, __ATOMIC_ACQ_REL) != team->size) {
		cape_worker_await(worker, &team->barrier, seen);
		return;
	}
	team->arrived = 0;
	cape_reductions_fold(team);
	cape_signal_set(&team->barrier, seen + 1);
}

void cape_thread_barrier_at(const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();

	(void)place;
	if (cape_worker_shares(worker))
		cape_team_barrier(worker);
}

void cape_thread_values_read(void)
{
	cape_thread_barrier_at(NULL);
}
