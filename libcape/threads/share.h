/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * share.h - what a team shares of a work-sharing construct that needs it.
 *
 * All members meet the same constructs in the same order, and take one share after the other of a
 * ring.  Who runs ahead, through constructs without a barrier, waits only where the ring is full.
 */
#ifndef CAPE_SHARE_H
#define CAPE_SHARE_H

#include "threads/worker.h"

/* CONSTRUCT's share, of WORKER's team of several. */
struct cape_share *cape_share_take(struct cape_worker *worker, struct cape_construct *construct);

/* WORKER is done with CONSTRUCT, which may have none. */
void cape_share_leave(struct cape_worker *worker, const struct cape_construct *construct);

/* As if nobody had taken the USED ones that may have been; a region's own is never left. */
void cape_shares_reset(struct cape_team *team, uint32_t used);

#endif
