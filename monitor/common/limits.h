/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits.h - what CAPE needs of the limits that a shell sets (ulimit).
 */
#ifndef CAPE_COMMON_LIMITS_H
#define CAPE_COMMON_LIMITS_H

#include <stdbool.h>

/* Open files that a program needs to be allowed: its monitor's lie at high numbers. */
#define LIMITS_FILES 1024

/* Raises the limit of open files that is in force to what is needed, if it is lower and may be. */
bool limits_raise(void);

#endif
