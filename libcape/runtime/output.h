/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * output.h - sequential code prints once, parallel code once for each node that prints.
 */
#ifndef CAPE_OUTPUT_H
#define CAPE_OUTPUT_H

#include <stdbool.h>

/* Hands what stdio has buffered to the system. */
void cape_output_flush(void);

/*
 * On a node other than the master: PARALLEL, let stdout and stderr reach the user; else let them
 * go nowhere, since the master prints the same.  A program's own redirection is left alone.
 */
void cape_output_switch(bool parallel);

#endif
