/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * environment.h - variables of an environment that the C library has not found yet.
 */
#ifndef CAPE_ENVIRONMENT_H
#define CAPE_ENVIRONMENT_H

#include <stddef.h>
#include <string.h>

/* Where ENVIRONMENT has its first variable NAME, "NAME=..."; or NULL. */
static inline char **cape_environment_find(char **environment, const char *name)
{
	size_t length = strlen(name);

	for (; *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return environment;
	return NULL;
}

#endif
