// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * share.c - the ring of a team's shares.
 */
#include "threads/share.h"

#include <string.h>

static struct cape_share *share_of(struct cape_team *team, uint32_t number)
{
	return &team->share[number % CAPE_SHARES];
}

struct cape_share *cape_share_take(struct cape_worker *worker, struct cape_construct *construct)
{
	struct cape_share *share;
	uint32_t number, used;

	if (construct->id)
		return share_of(worker->team, (uint32_t)(construct->id - 1));
	number = worker->shares++;
	construct->id = number + 1ull;
	share = share_of(worker->team, number);
	while ((used = __atomic_load_n(&share->use.word, __ATOMIC_ACQUIRE)) != number / CAPE_SHARES)
		cape_worker_await(worker, &share->use, used);
	return share;
}

void cape_share_leave(struct cape_worker *worker, const struct cape_construct *construct)
{
	struct cape_share *share;

	if (!construct->id)
		return;
	share = share_of(worker->team, (uint32_t)(construct->id - 1));
	if (__atomic_add_fetch(&share->left, 1, __ATOMIC_ACQ_REL) != worker->team->size)
		return;
	share->left = 0;
	share->next = share->turn = share->end = 0;
	share->used_up = false;
	cape_signal_set(&share->use, share->use.word + 1);
}

void cape_shares_reset(struct cape_team *team, uint32_t used)
{
	memset(team->share, 0, (used < CAPE_SHARES ? used : CAPE_SHARES) * sizeof(*team->share));
}
