// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * alone.c - no launcher: the monitor of a run's only node is cape-run's own child, and knows no
 * MPI.
 */
#include <stdlib.h>
#include "launcher.h"

/* As mpirun would; the caller may itself be started by one, and have another number. */
static void prepare(void)
{
	setenv("OMPI_COMM_WORLD_RANK", "0", 1);
}

const struct launcher alone_launcher = {
	.name = "the monitor",
	.monitor = "../lib/cape/alone/cape-monitor",
	.awaited = "its monitor has not begun",
	.joining = "its monitor has not started the program yet",
	.death = "node 0: its monitor has died",
	.prepare = prepare,
};
