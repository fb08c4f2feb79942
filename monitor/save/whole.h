/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole.h - whether a run can go on from a set: all files are read that it needs, each once,
 * however many sets need it.
 */
#ifndef CAPE_SAVE_WHOLE_H
#define CAPE_SAVE_WHOLE_H

#include "set.h"

struct looked;

/* What was read so far; zeroed, nothing. */
struct whole {
	struct looked *looked;
	size_t count, capacity;
};

/* Whether the set PATH is whole, and what it goes on from. */
bool whole_is(struct whole *whole, const char *path);

void whole_free(struct whole *whole);

#endif
