/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h - is this file a program that cape-cc built?
 */
#ifndef CAPE_RUN_PROGRAM_H
#define CAPE_RUN_PROGRAM_H

/*
 * Finds NAME as a shell does (as a path if it has a slash, else in PATH) and returns the path,
 * to be freed.  NULL: it is missing, not executable or not built by cape-cc; a message was printed,
 * and *STATUS is what to exit with (127 or 126).
 */
char *program_find(const char *name, int *status);

/* The path of the executable NAME in PATH, to be freed, or NULL. */
char *program_in_path(const char *name);

#endif
