/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nodes.h - "[NODES:]COMMAND": a command of the user's for some nodes, or for all.
 *
 * NODES are numbers and stretches of them: "0,2-4".
 */
#ifndef CAPE_COMMON_NODES_H
#define CAPE_COMMON_NODES_H

#include <stdbool.h>

/* Where the command of TEXT begins: at TEXT, if it is for all nodes. */
const char *nodes_command(const char *text);

/*
 * The numbers FIRST to LAST that NODES have at *AT, which then is after them and the sign that
 * follows; at the command there are no more.  False: there is something else.
 */
bool nodes_next(const char **at, long *first, long *last);

#endif
