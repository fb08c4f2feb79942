/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_state.h - what /proc says of a process.
 */
#ifndef CAPE_COMMON_PROCESS_STATE_H
#define CAPE_COMMON_PROCESS_STATE_H

#include <stdbool.h>
#include <sys/types.h>

struct process_state {
	char letter; /* as proc(5) has them; T: it is stopped */
	char name[32];
	pid_t parent, session;
	unsigned long ticks; /* of processor time */
};

/* Looks at process PID.  False: there is none. */
bool process_state(pid_t pid, struct process_state *state);

/* The number, to base BASE, after NAME in /proc/PID/status; 0: there is none. */
unsigned long long process_number(pid_t pid, const char *name, int base);

/* Whether all threads of the process sleep. */
bool process_sleeps(pid_t pid);

#endif
