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
#include "fault.h"

/*
 * Files in it.  Node 0's monitor makes one when it begins; the first who reports to the user why
 * the run has failed, with which status, makes one; cape-run when it asks mpirun to end the run.
 */
#define FOLDER_BEGUN  "begun"
#define FOLDER_FAILED "failed"
#define FOLDER_ASKED  "asked"

/* What goes with FOLDER_FAILED when mpirun has gone from under the monitors. */
#define FOLDER_MPIRUN_DIED "mpirun has died"

/*
 * Chooses the place of a folder for a run of NODES nodes: where there is room, in memory if it can
 * be.  PATH is to be freed; *CRAMPED: there is little room, so that memory is not to be shared
 * through files in it.  0 or -errno.
 */
int folder_choose(int nodes, char **path, bool *cramped);

/* Makes it, and holds it.  The lock's descriptor, which children inherit, or -errno. */
int folder_make(const char *path);

/* Where folder_choose() would have it, whether or not there is room. */
const char *folder_base(int nodes);

/* What BASE offers a run's folder for NODES nodes. */
enum folder_room { FOLDER_NO_ROOM, FOLDER_CRAMPED, FOLDER_AMPLE };

enum folder_room folder_room(const char *base, int nodes);

/* Holds a folder that is there.  The lock's descriptor, closed on exec, or -errno. */
int folder_hold(const char *path);

/*
 * Notes in FOLDER, a lock's descriptor, that the run has failed with STATUS, of which FAULT, and
 * what a message says of it, unless there was a message: then it is false.
 */
bool folder_note_failure(int folder, const struct fault *fault, int status, const char *text);

/*
 * The status that was so noted in the folder PATH, or -1; FAULT, if it is not NULL, and TEXT, of
 * SIZE bytes, which may be none, get what goes with it.
 */
int folder_failure(const char *path, struct fault *fault, char *text, size_t size);

/* Makes the file NAME in FOLDER, and says whether it is there. */
void folder_note(int folder, const char *name);
bool folder_has(int folder, const char *name);

/* Whether it is there in the folder PATH. */
bool folder_is_noted(const char *path, const char *name);

/* Waits until nobody else holds PATH any more, then removes it. */
void folder_remove(const char *path);

/* Removes what dead runs of this user have left beside PATH. */
void folder_sweep(const char *path);

#endif
