/* SPDX-License-Identifier: GPL-2.0-or-later */
/* macros.h - macros in #pragma cape. */
#ifndef CAPE_TRANSLATOR_MACROS_H
#define CAPE_TRANSLATOR_MACROS_H

#include "compile.h"

/*
 * Expands the macros in the pragmas of TEXT, the source NAME preprocessed; STEM: of the names of
 * own files.  What a macro is at the end of the source, it is everywhere.  The exit status.
 */
int macros_expand(const struct driver *driver, const char *name, const char *stem,
		  struct text *text);

#endif
