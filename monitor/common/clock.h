/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - the time that waits are measured in. */
#ifndef CAPE_MONITOR_CLOCK_H
#define CAPE_MONITOR_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t clock_now(void);

#endif
