// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock.c - reads the monotonic clock.
 */
#include "common/clock.h"

#include <time.h>

uint64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
