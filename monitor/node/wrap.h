/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrap.h - a command of the user's that becomes the program (--wrap), and one that attaches to it
 * (--attach).
 */
#ifndef CAPE_NODE_WRAP_H
#define CAPE_NODE_WRAP_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Of WISH, "[NODES:]COMMAND", what node RANK is to run; NULL: nothing
 * (common/nodes.h).
 */
const char *wrap_command(const char *wish, int rank);

/*
 * Becomes COMMAND, of the shell, with after it what becomes PROGRAM with exactly these ARGUMENTS
 * and this ENVIRONMENT, whatever COMMAND makes of its own.  Returns only with an errno.
 */
int wrap_become(const char *command, const char *program, char **arguments, char **environment);

/* cape-monitor --become FILE: the end of that.  The exit status, if it fails. */
int wrap_end(const char *file);

/* CHILD, traced, stops because it has made another one, which goes its way. */
void wrap_let_go(pid_t child);

/* Whether CHILD is PROGRAM by now. */
bool wrap_is_program(pid_t child, const char *program);

/*
 * PROGRAM's process CHILD, traced and at its first instruction, is let go, and waits there until
 * COMMAND, which gets its number as a last word, traces it, or has ended; *TRACED:
 * not the latter.  0 or -errno.
 */
int wrap_attach(const char *command, pid_t child, bool *traced);

#endif
