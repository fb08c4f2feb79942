/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.h - what a process does with signals when it becomes another program, and without them.
 */
#ifndef CAPE_COMMON_SIGNALS_H
#define CAPE_COMMON_SIGNALS_H

#include <stdint.h>

/* What exec() leaves as it is; the lowest bit is signal 1. */
struct signals {
	uint64_t ignored, blocked;
};

/* What this process has. */
void signals_take(struct signals *signals);

/* The process, about to become another program, gets SIGNALS; the others have their default. */
void signals_give(const struct signals *signals);

/*
 * Ignores those by which programs communicate or learn of time, terminals and files:
 * a program that sends one to its whole process group means itself.
 */
void signals_ignore_talk(void);

#endif
