/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* range.h - a stretch of addresses, as the run time, the channel and the monitor say it. */
#ifndef CAPE_CHANNEL_RANGE_H
#define CAPE_CHANNEL_RANGE_H

#include <stdint.h>

struct cape_range {
	uint64_t start;
	uint64_t end;
};

#endif
