/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pidfd.h - a process by a descriptor (pidfd_open(2)) in place of its number, which may be given to
 * another process when the first has ended.
 *
 * The kernel lets no module look into a pidfd, and need not: who takes the number from it, traces
 * the process of that number, and then finds that the pidfd's process is there, has traced that
 * one, as its number cannot have been another's meanwhile.
 */
#ifndef CAPE_PIDFD_H
#define CAPE_PIDFD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The number of DESCRIPTOR's process, here.  0; EBADF: it is not open; EINVAL: it is no pidfd;
 * ESRCH: the process has ended, or has no number in this pid namespace; EXDEV: /proc is not there,
 * or has the numbers of another namespace.
 */
int pidfd_number(int descriptor, pid_t *pid);

/* Is the process of DESCRIPTOR, a pidfd, still there? */
bool pidfd_lives(int descriptor);

#endif
