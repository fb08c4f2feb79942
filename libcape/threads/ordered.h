/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ordered.h - the turns of a loop with the clause ordered.
 */
#ifndef CAPE_TURNS_H
#define CAPE_TURNS_H

#include "threads/worker.h"

/* This thread's last chunk is done, whether or not each of its iterations met the construct. */
void cape_turn_chunk_end(struct cape_worker *worker, struct cape_construct *construct);

/* Between threads alone: until all iterations before ITERATION are done; those before END are. */
void cape_turn_await(struct cape_worker *worker, struct cape_construct *construct,
		     unsigned long iteration);
void cape_turn_tell(struct cape_worker *worker, struct cape_construct *construct,
		    unsigned long end);

#endif
