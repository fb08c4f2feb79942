/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * threads.h - threads and processes that the program makes itself.
 *
 * A node is the program's initial thread: only it speaks to the monitor and runs constructs.  To
 * the others the run time is what it is without cape-run.  A child of fork() is a process of its
 * own, as if it had been started without cape-run.
 */
#ifndef CAPE_THREADS_H
#define CAPE_THREADS_H

#include "base/context.h"

/* By the initial thread. */
void cape_threads_start(struct cape_runtime *runtime);

/* Ends the run where the program's own threads come to the construct at PLACE. */
void cape_threads_refuse(struct cape_runtime *runtime, const struct cape_place *place);
/* The same if they call a routine of OpenMP's locks, NAME. */
void cape_threads_refuse_lock(struct cape_runtime *runtime, const char *name);

#endif
