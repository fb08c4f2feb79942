/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * death.h - which thread dies of a signal, in which construct, and whether its stack is full.
 */
#ifndef CAPE_THREADS_DEATH_H
#define CAPE_THREADS_DEATH_H

#include "base/context.h"

/* Before the environment is the program's: takes the note of cape-run's out of it, if there is one.
 */
void cape_thread_death_find(struct cape_runtime *runtime, char **environment);

/* From now on the death of a thread is reported. */
void cape_thread_death_start(struct cape_runtime *runtime);

/* The constructs to use where cape-run shares a note: they say there where the program is. */
const struct cape_constructs *cape_thread_death_constructs(struct cape_runtime *runtime);

#endif
