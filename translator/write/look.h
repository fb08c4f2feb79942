/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look.h - loops that wait for a volatile object to change, and calls that pause. */
#ifndef CAPE_TRANSLATOR_LOOK_H
#define CAPE_TRANSLATOR_LOOK_H

#include <stdbool.h>

struct source;
struct unit;

/*
 * Puts a call into the condition of each loop that reads a volatile object others may change, and
 * before each call that lets the processor wait.
 */
void look_rewrite(struct unit *unit);
/* Whether it calls what lets the processor wait, which a file without OpenMP may do, too. */
bool look_pauses(const struct source *source);

#endif
