/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * children.h - the numbers of the program's process, its parent, group and session.
 */
#ifndef CAPE_CHILDREN_H
#define CAPE_CHILDREN_H

#include <sys/types.h>

struct cape_runtime;

/* As the C library's functions without cape_; the numbers are the program's. */
pid_t cape_getpid(void);
pid_t cape_getppid(void);
pid_t cape_getpgid(pid_t process);
pid_t cape_getpgrp(void);
pid_t cape_getsid(pid_t process);
pid_t cape_gettid(void);
int cape_kill(pid_t process, int signal);
int cape_tgkill(pid_t process, pid_t thread, int signal);

/* All nodes learn node 0's numbers, which are the program's from now on, in regions too. */
void cape_children_start(struct cape_runtime *runtime);

#endif
