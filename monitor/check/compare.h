/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.h - what must be alike on all machines.
 */
#ifndef CAPE_CHECK_COMPARE_H
#define CAPE_CHECK_COMPARE_H

#include "common/answer.h"

/* A machine, and what it said. */
struct compared {
	const char *name;
	const struct answer *answer;
};

/* In what OTHER differs from FIRST: FIND is called for each, with what it means and what mends it.
 */
typedef void compare_find(void *context, enum answer_kind kind, const char *text, const char *mend);

void compare_machines(const struct compared *first, const struct compared *other,
		      const char *program, const char *folder, compare_find *find, void *context);

#endif
