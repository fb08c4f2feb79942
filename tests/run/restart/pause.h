/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pause.h - a pause between steps, and until the run is saved.
 */
#ifndef CAPE_TEST_PAUSE_H
#define CAPE_TEST_PAUSE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ARGUMENTS: microseconds, and perhaps the folder in which set STEP + 1 is awaited for a while. */
static void pause_at(int step, char **arguments)
{
	char path[4096];

	if (!arguments[0])
		return;
	usleep((unsigned)atoi(arguments[0]));
	errno = 0;
	if (!arguments[1])
		return;
	snprintf(path, sizeof(path), "%s/%06d/run", arguments[1], step + 1);
	for (int i = 0; i < 400 && access(path, F_OK) < 0; i++)
		usleep(25000);
	/* Then the next can be begun, soon. */
	usleep(200000);
	errno = 0;
}

#endif
