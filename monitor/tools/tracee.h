/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracee.h - a process that this one traces, with all its threads: seize, stop, continue, release.
 */
#ifndef CAPE_TRACEE_H
#define CAPE_TRACEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee_thread {
	pid_t id;
	bool stopped;
	bool is_group_stop; /* SIGSTOP and the like: it must stay where it is */
	bool in_call;	    /* it stands within a system call that is to go on (clone) */
	int signal;	    /* to be delivered when it goes on */
};

struct tracee {
	pid_t pid;
	struct tracee_thread *thread;
	size_t count, capacity;
	bool ended;
	/* The driver tells of a write of a THREAD to ADDRESS (uapi: CAPE_MODE_NOTIFY), or NULL. */
	void (*written)(void *context, pid_t thread, uint64_t address);
	void *context;
};

/*
 * Begins to trace every thread of process PID, which runs on.  0; -EPERM: not allowed, or it has
 * a tracer; -ESRCH: no such process; -ENOMEM.  TRACEE is to be released only after a 0.
 */
int tracee_seize(struct tracee *tracee, pid_t pid);

/* Stops all threads and waits until they stand; false: the process has ended. */
bool tracee_stop(struct tracee *tracee);

/* Lets all threads that tracee_stop() stopped go on. */
void tracee_continue(struct tracee *tracee);

/* Deals with everything that has happened to the threads since the last call; never waits. */
void tracee_attend(struct tracee *tracee);

/* Leaves the process to itself. */
void tracee_release(struct tracee *tracee);

#endif
