/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pool.h - the threads that regions are shared out to.
 */
#ifndef CAPE_POOL_H
#define CAPE_POOL_H

#include "threads/worker.h"

/* Runs BODY by SIZE threads, WORKER the first of them, or by fewer where the settings allow it. */
void cape_pool_run(struct cape_worker *worker, unsigned size, void (*body)(void *data), void *data);

#endif
