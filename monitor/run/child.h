/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.h - runs a program that needs no monitor.
 */
#ifndef CAPE_RUN_CHILD_H
#define CAPE_RUN_CHILD_H

#include "options.h"
#include "supervise.h"
#include "surroundings.h"

/*
 * Runs PROGRAM, a path, with as many threads as was asked for, to its end; signals that are sent to
 * cape-run go to it.  Returns what to exit with, and of what it died a message was printed.
 */
int child_run(const struct run_options *options, const struct surroundings *surroundings,
	      const char *program, struct ending *ending);

#endif
