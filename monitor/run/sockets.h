/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sockets.h - --wire test: monitors on this machine alone, over sockets, without mpirun and MPI.
 */
#ifndef CAPE_RUN_SOCKETS_H
#define CAPE_RUN_SOCKETS_H

#include <stdbool.h>
#include "options.h"

/* Takes TEXT, "test" or "test:SEED", as the wire.  False: it is none; a message was printed. */
bool sockets_parse(struct run_options *options, const char *text);

/* Whether the wire goes with the other options; else a message was printed. */
bool sockets_go(const struct run_options *options);

#endif
