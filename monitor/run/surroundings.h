/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * surroundings.h - what a run needs of the place where cape-run is started.
 */
#ifndef CAPE_RUN_SURROUNDINGS_H
#define CAPE_RUN_SURROUNDINGS_H

#include <stdbool.h>
#include <sys/types.h>
#include "common/signals.h"
#include "options.h"

/* What the caller has set, which the program is to have while cape-run and mpirun do without. */
struct surroundings {
	mode_t mask;		      /* umask */
	unsigned long long file_size; /* bytes that a file may have; all ones: any number */
	struct signals signals;
};

/*
 * Makes good what is missing: standard descriptors, rights to files of one's own, limits that can
 * be raised.  To be called first.
 */
void surroundings_take(struct surroundings *surroundings);

/*
 * Whether a run with OPTIONS can be on this machine, as far as it is; or a message was printed.
 */
bool surroundings_suffice(const struct run_options *options);

#endif
