/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h - brings node 0's program to the other machines (--copy).
 */
#ifndef CAPE_NODE_COPY_H
#define CAPE_NODE_COPY_H

#include <stdbool.h>
#include "base/node.h"

/* Where the copy of PROGRAM will lie, in the run's FOLDER, on every machine; NULL: no memory. */
char *copy_path(const char *folder, const char *program);

/* Puts it there: node 0's options.source, to all options.program.  False: the run has failed. */
bool copy_program(struct node *node);

#endif
