/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * loop.h - iterations that threads are handed out as they ask.
 */
#ifndef CAPE_LOOP_H
#define CAPE_LOOP_H

#include "threads/worker.h"

/* A chunk of CONSTRUCT for WORKER, between threads alone, from iteration *FROM on; its size, or 0.
 */
uint64_t cape_loop_hand_out(struct cape_worker *worker, struct cape_construct *construct,
			    uint64_t *from);

#endif
