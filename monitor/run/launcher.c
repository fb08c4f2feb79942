// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * launcher.c - chooses who starts the monitors.
 */
#include "launcher.h"

#include "here.h"

/* Whoever has something to say to mpirun wants it. */
const struct launcher *launcher_for(const struct run_options *options)
{
	bool alone = options->nodes == 1 && !options->mpirun_count && here_is_all(options);

	if (alone)
		return &alone_launcher;
	return options->wire ? &sockets_launcher : &mpirun_launcher;
}
