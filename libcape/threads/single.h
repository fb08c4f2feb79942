/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * single.h - copyprivate: what a single construct hands to all of its team.
 */
#ifndef CAPE_SINGLE_H
#define CAPE_SINGLE_H

#include "threads/worker.h"

/* At the end of a single at PLACE, at which all have variables: the values of who RAN_SINGLE become
 * everybody's. */
void cape_copyprivate_take(struct cape_worker *worker, bool ran_single,
			   const struct cape_place *place);

/* The variables of a thread, as BUFFER has them, one after the other. */
struct cape_copyprivate *cape_copyprivate_at(const struct cape_buffer *buffer, size_t number);

#endif
