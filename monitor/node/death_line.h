/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * death_line.h - the line about the death of a program that has no monitor, for cape-run.
 */
#ifndef CAPE_DEATH_LINE_H
#define CAPE_DEATH_LINE_H

/* PROGRAM was killed by SIGNAL; the descriptor NOTE has what it has left.  What to exit with. */
int death_line(const char *note, const char *program, const char *signal);

#endif
