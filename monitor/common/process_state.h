/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_state.h - whether a process runs, sleeps or is stopped.
 */
#ifndef CAPE_COMMON_PROCESS_STATE_H
#define CAPE_COMMON_PROCESS_STATE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The letter of its state, as proc(5) has them (T: stopped), and in NAME, of SIZE bytes, what it is
 * called (NULL, 0: nobody asks); 0: there is no such process.
 */
char process_state(pid_t pid, char *name, size_t size);

#endif
