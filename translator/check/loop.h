/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop.h - the canonical loops (OpenMP 3.1, 2.5.1) of for, parallel for and collapse. */
#ifndef CAPE_TRANSLATOR_LOOP_H
#define CAPE_TRANSLATOR_LOOP_H

#include <stdbool.h>

#include "read/statement.h"

struct unit;

/* Reads the loops of every loop construct into directive.loops; reports other forms. */
void loops_read(struct unit *unit);

/* Whether the variable grows. */
bool loop_ascends(const struct loop *loop);

#endif
