/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * complain.h - what cape-run tells its user, on standard error: "cape-run: " and a line, in one
 * write.  errno stays as it is.
 */
#ifndef CAPE_COMMON_COMPLAIN_H
#define CAPE_COMMON_COMPLAIN_H

#include <stdbool.h>

/* Says what is wrong; false, for whoever cannot go on. */
bool complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says what is worth knowing. */
void inform(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
