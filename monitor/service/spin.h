/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spin.h - whether a program does nothing but look at memory that does not change. */
#ifndef CAPE_SPIN_H
#define CAPE_SPIN_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * PROGRAM is a child that nobody traces.  It is stopped some times, all in all for some 200
 * milliseconds, and its registers are compared.  False, too, when that is not known.
 */
bool spin_is(pid_t program);

#endif
