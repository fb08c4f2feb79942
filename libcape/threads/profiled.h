/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profiled.h - cape-run --profile of a run by threads: each has a profile of its own, as a node
 * has elsewhere.
 */
#ifndef CAPE_PROFILED_H
#define CAPE_PROFILED_H

#include "openmp/constructs.h"

/* Puts into WATCHED, which the program will use, what takes the time as well. */
void cape_profiled_start(struct cape_runtime *runtime, struct cape_constructs *watched);

/* The program begins, and ends. */
void cape_profiled_zero(struct cape_runtime *runtime);
void cape_profiled_stop(struct cape_runtime *runtime);

#endif
