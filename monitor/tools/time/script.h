/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script.h - records as "perf script" prints samples, for what reads that: flame graphs and the
 * like.
 */
#ifndef CAPE_SCRIPT_H
#define CAPE_SCRIPT_H

#include <stdio.h>
#include "unwind.h"

/* Writes a record of process PID to OUT, with its callers, which UNWIND has.  0 or an errno. */
int script_print(const struct naming *naming, uint64_t pid, const struct cape_record *record,
		 const struct unwind *unwind, FILE *out);

#endif
