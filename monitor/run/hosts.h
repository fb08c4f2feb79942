/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hosts.h - the machines that the user has named, without one that is lost.
 */
#ifndef CAPE_RUN_HOSTS_H
#define CAPE_RUN_HOSTS_H

#include <stdbool.h>
#include "slots.h"
#include "options.h"

/*
 * Changes mpirun's options so that nothing is started on HOST any more.  False: no list that is
 * known has it, or it has nothing else.
 */
bool hosts_leave_out(struct run_options *options, const char *host);

/* Counts the machines that the user has named, with their slots.  False: that is not known. */
bool hosts_count(const struct run_options *options, struct slots *slots);

#endif
