/* SPDX-License-Identifier: GPL-2.0-or-later */
/* response.h - arguments that stand in a file, @FILE, which long command lines are put into. */
#ifndef CAPE_TRANSLATOR_RESPONSE_H
#define CAPE_TRANSLATOR_RESPONSE_H

#include <stdbool.h>

#include "text.h"

struct response {
	LIST(char *) arguments; /* NULL-terminated; pointers into those given and into TEXTS */
	LIST(struct text) texts;
};

/*
 * ARGUMENTS with those that a file holds in the place of each @FILE, as the compiler does it: one
 * that cannot be read stays as it is.  False if files name each other without end, which is
 * reported.
 */
bool response_expand(struct response *response, int count, char **arguments);
void response_free(struct response *response);

#endif
