/* SPDX-License-Identifier: GPL-2.0-or-later */
/* known.h - functions of C and of OpenMP whose work is known by their names. */
#ifndef CAPE_TRANSLATOR_KNOWN_H
#define CAPE_TRANSLATOR_KNOWN_H

#include <stdbool.h>

enum known_function {
	KNOWN_NOT,
	KNOWN_COMPUTES, /* its value, the same on any node, and no more */
	KNOWN_FILLS,	/* memset() */
	KNOWN_COPIES,	/* memcpy(), memmove() */
	KNOWN_ENDS,	/* the program, and does not return */
};

/* What the function NAME, which the text does not define, does; also by __builtin_. */
enum known_function known_function(const char *name);

/* Whether the function NAME is one of C that orders no threads: it neither waits for one nor lets
 * one go on. */
bool known_orders_none(const char *name);

/* Whether the function NAME prints what it is given, and no more. */
bool known_prints(const char *name);

#endif
