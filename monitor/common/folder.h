/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folder.h - the folder in which a run keeps its files on one machine, until the run is dead.
 *
 * Who belongs to a run holds a shared lock on its folder, which goes with the process however
 * that ends.  A folder that nobody holds belongs to nobody who lives.
 */
#ifndef CAPE_COMMON_FOLDER_H
#define CAPE_COMMON_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* A file in it that a monitor makes. */
#define FOLDER_BEGUN "begun"

/*
 * Makes a folder for a run of NODES nodes, and holds it: where there is room, in memory if it can
 * be.  PATH is to be freed; *CRAMPED: there is little room, so that memory is not to be shared
 * through files in it.  The lock's descriptor, which children inherit, or -errno.
 */
int folder_make(int nodes, char **path, bool *cramped);

/* Holds a folder that is there.  The lock's descriptor, closed on exec, or -errno. */
int folder_hold(const char *path);

/* Waits until nobody else holds PATH any more, then removes it. */
void folder_remove(const char *path);

/* Removes what dead runs of this user have left beside PATH. */
void folder_sweep(const char *path);

#endif
