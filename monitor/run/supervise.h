/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * supervise.h - from a run's start to its end: its signals, its output, its status.
 */
#ifndef CAPE_RUN_SUPERVISE_H
#define CAPE_RUN_SUPERVISE_H

#include <stdbool.h>
#include "command.h"
#include "common/connection.h"
#include "common/fault.h"
#include "options.h"
#include "place.h"
#include "trace.h"

/* How a run has ended. */
struct ending {
	int by;			/* the user's signal that ended it, or SIGPIPE; or 0 */
	enum start_stage stage; /* how far its start had come */
	bool has_read;		/* of standard input, which is not a file */
	struct fault fault;
};

/*
 * Runs COMMAND to its end; PLACE: of the run's files; ARGUMENTS: the program's;
 * TRACE: gets what the run says of it.  Of OPTIONS it takes how long a start may take, and whether
 * all nodes may be on other machines.  Returns what cape-run exits with; a message was printed of
 * what went wrong.
 */
int supervise(const struct command *command, char **arguments, const struct place *place,
	      struct trace *trace, const struct run_options *options, struct ending *ending);

#endif
