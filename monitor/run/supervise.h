/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * supervise.h - from mpirun's start to its end: its signals, its output, its status.
 */
#ifndef CAPE_RUN_SUPERVISE_H
#define CAPE_RUN_SUPERVISE_H

#include <stdbool.h>
#include "place.h"
#include "trace.h"

/*
 * Runs the command line of mpirun to its end; PLACE: of the run's files; ARGUMENTS: the program's;
 * TRACE: gets what the run says of it.  Returns what cape-run exits with; the user was told of what
 * went wrong.  *ENDED_BY: the user's signal that ended the run, or 0.  ELSEWHERE: all nodes may be
 * on other machines.
 */
int supervise(char **command, char **arguments, const struct place *place, struct trace *trace,
	      bool elsewhere, int *ended_by);

#endif
