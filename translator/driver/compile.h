/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compile.h - one C source on its way from the user's file to an object. */
#ifndef CAPE_TRANSLATOR_COMPILE_H
#define CAPE_TRANSLATOR_COMPILE_H

#include "read/command.h"
#include "read/process.h"

struct driver {
	struct command command;
	argument_list compiler; /* CAPE_CC, split at spaces */
	char *compiler_text;
	char *include; /* folder of cape.h and omp.h */
	char *library; /* libcape.a */
	unsigned int source_count;
};

/* What of PATH follows the last slash: a part of it. */
const char *base_name(const char *path);

/* Appends the compiler's name; the others append what their names say. */
void add_compiler(const struct driver *driver, argument_list *list);
void add_argument(argument_list *list, const char *text);
void add_file(const char *name, const char *language, argument_list *list);
/* -E and what goes with it, for the user's own source. */
void add_preprocessing(const struct driver *driver, argument_list *list);

/*
 * Does with the source NAME (of -x LANGUAGE, or NULL) what the driver's mode asks for.  Returns
 * the exit status; RESULT is the name of the file that came out, to be freed, or NULL.
 */
int compile_source(struct driver *driver, const char *name, const char *language, char **result);

/* Writes LENGTH bytes of DATA to standard output.  The exit status; a message was printed. */
int write_answer(const char *data, size_t length);

#endif
