/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * clocks.h - clocks and random bytes, as the program sees them: node 0's in sequential code.
 */
#ifndef CAPE_CLOCKS_H
#define CAPE_CLOCKS_H

#include <sys/types.h>
#include <time.h>

struct cape_runtime;
struct timeval;

/* As the C library's functions without cape_. */
int cape_clock_gettime(clockid_t clock, struct timespec *now);
int cape_gettimeofday(struct timeval *restrict now, void *restrict zone);
time_t cape_time(time_t *now);
ssize_t cape_getrandom(void *bytes, size_t size, unsigned int flags);

/* Those of getauxval(AT_RANDOM) are node 0's from now on; the C library has used its own. */
void cape_random_start(struct cape_runtime *runtime);

#endif
