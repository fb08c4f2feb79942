/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keeper.h - a small process that outlives its parent, to clean up however the run ends.
 */
#ifndef CAPE_COMMON_KEEPER_H
#define CAPE_COMMON_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

/* How /proc/PID/comm calls it. */
#define KEEPER_NAME "cape-keeper"

/*
 * Starts a keeper of the folder PATH.  It does WATCH(CONTEXT), which may be NULL, then waits until
 * the folder is nobody's and removes it.  It has no descriptors but stderr, which it closes after
 * WATCH, and no terminal.  Its pid or -errno.
 */
pid_t keeper_start(const char *path, void (*watch)(void *context), void *context);

/*
 * Makes the folder PATH as folder_make(), with a keeper, which is there first: whoever is killed
 * meanwhile leaves nothing.  The lock's descriptor or -errno; *STARTED: of the folder's making.
 */
int keeper_make_folder(const char *path, bool *started);

#endif
