/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * surroundings.h - what a run needs of the place where cape-run is started.
 */
#ifndef CAPE_RUN_SURROUNDINGS_H
#define CAPE_RUN_SURROUNDINGS_H

#include <stdbool.h>
#include <sys/types.h>

/* What the caller has set, which the program is to have while cape-run and mpirun do without. */
struct surroundings {
	mode_t mask;		      /* umask */
	unsigned long long file_size; /* bytes that a file may have; all ones: any number */
};

/*
 * Makes good what is missing: standard descriptors, rights to files of one's own, limits that can
 * be raised.  To be called first.
 */
void surroundings_take(struct surroundings *surroundings);

/*
 * Whether NODES nodes on this machine (0: elsewhere, perhaps) can run here, in DIRECTORY if it is
 * not NULL; or the user was told.
 */
bool surroundings_suffice(int nodes, const char *directory);

#endif
