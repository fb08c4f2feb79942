/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * supervise.h - from mpirun's start to its end: its signals, its output, its status.
 */
#ifndef CAPE_RUN_SUPERVISE_H
#define CAPE_RUN_SUPERVISE_H

/*
 * Runs the command line of mpirun to its end.  Returns what cape-run exits with; the user was told
 * of what went wrong.
 */
int supervise(char **command);

#endif
