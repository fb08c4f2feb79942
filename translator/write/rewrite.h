/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite.h - turns every construct into calls of the run time, as edits of the source. */
#ifndef CAPE_TRANSLATOR_REWRITE_H
#define CAPE_TRANSLATOR_REWRITE_H

#include "read/text.h"

struct unit;
struct directive;

/*
 * Adds the edits of the whole unit.  Edit texts have one statement a line, indented by tabs
 * relative to the directive.
 */
void rewrite_unit(struct unit *unit);

#endif
