/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * supervise.h - from mpirun's start to its end: its signals, its output, its status.
 */
#ifndef CAPE_RUN_SUPERVISE_H
#define CAPE_RUN_SUPERVISE_H

#include <stdbool.h>
#include "common/fault.h"
#include "place.h"
#include "trace.h"

/* How a run has ended. */
struct ending {
	int by; /* the user's signal that ended it, or SIGPIPE; or 0 */
	bool begun;
	bool has_read; /* of standard input, which is not a file */
	struct fault fault;
};

/*
 * Runs the command line of mpirun to its end; PLACE: of the run's files; ARGUMENTS: the program's;
 * TRACE: gets what the run says of it.  Returns what cape-run exits with; the user was told of what
 * went wrong.  ELSEWHERE: all nodes may be on other machines.
 */
int supervise(char **command, char **arguments, const struct place *place, struct trace *trace,
	      bool elsewhere, struct ending *ending);

#endif
