/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pool.h - the threads that regions are shared out to.
 */
#ifndef CAPE_POOL_H
#define CAPE_POOL_H

#include "threads/worker.h"

/* Runs BODY by SIZE threads, WORKER the first of them, or by fewer where the settings allow it. */
void cape_pool_run(struct cape_worker *worker, unsigned size, void (*body)(void *data), void *data);

/*
 * The same by SIZE threads, 1 or more, of those that cape_pool_make() has made, as part of a larger
 * team: of WORKER->size, WORKER->number of which come before.
 */
void cape_pool_run_part(struct cape_worker *worker, unsigned size, void (*body)(void *data),
			void *data);

/* Makes threads for a team of SIZE, with WORKER's, and waits until they are ready. */
void cape_pool_make(struct cape_worker *worker, unsigned size);

/* The C library's pthread_create(): what takes its place is for the program's own threads. */
typedef int cape_thread_maker(pthread_t *thread, const pthread_attr_t *attributes,
			      void *(*function)(void *), void *argument);
cape_thread_maker *cape_thread_maker_find(void);

#endif
