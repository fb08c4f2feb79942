/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * said.h - CAPE_SECTION_NEED of a message: what its node says of pages.
 */
#ifndef CAPE_NEED_SAID_H
#define CAPE_NEED_SAID_H

#include <stdint.h>
#include "channel/range.h"

struct cape_need_said {
	uint64_t destinations; /* bit N: something will be pushed to node N */
	uint64_t claims;       /* how many of RANGE: first these, */
	uint64_t fetched;      /* then these, */
	uint64_t published;    /* then these */
	uint64_t threads;      /* 1: its program has made threads */
	struct cape_range range[];
};

#endif
