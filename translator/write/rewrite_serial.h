/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite_serial.h - simd, target, teams and the like: loops and blocks that run as they stand. */
#ifndef CAPE_TRANSLATOR_REWRITE_SERIAL_H
#define CAPE_TRANSLATOR_REWRITE_SERIAL_H

#include <stdbool.h>

#include "read/text.h"

struct directive;
struct unit;

/*
 * The construct is its block: what is private in it is each thread's own, and so are, where a team
 * has them in common, the variables of a simd's loops and those that are lastprivate in it.
 */
void rewrite_serial(struct unit *unit, const struct directive *directive);

/* Whether a limit of threads may hold inside that did not before. */
bool serial_limits_threads(const struct directive *directive);
/* Begins that, in a scope of its own; cape_teams_end() ends it. */
void serial_write_teams(const struct unit *unit, const struct directive *directive,
			struct text *text);

#endif
