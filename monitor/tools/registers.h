/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers.h - what the threads of a traced process have in their registers at one instant.
 */
#ifndef CAPE_REGISTERS_H
#define CAPE_REGISTERS_H

#include <stdint.h>
#include <sys/user.h>
#include "tracee.h"

/* One thread's: general, extended (XSAVE), and the signals that it blocks. */
struct registers_thread {
	pid_t id;
	struct user_regs_struct general;
	void *extended;
	size_t extended_size;
	uint64_t blocked;
};

struct registers {
	struct registers_thread *thread;
	size_t count; /* 0: none were saved */
};

/* Saves those of all threads of TRACEE, which stands still.  0 or an errno; then none are saved. */
int registers_save(struct registers *registers, const struct tracee *tracee);

/* Are the threads those that were saved, and at a place where their registers may be changed? */
bool registers_fit(const struct registers *registers, const struct tracee *tracee);

/*
 * Gives them back to the threads of TRACEE, which stands still and fits: a system call that was
 * interrupted begins anew.  A signal that tells of a fault, which is undone now, is dropped.  0 or
 * an errno.
 */
int registers_restore(const struct registers *registers, struct tracee *tracee);

void registers_free(struct registers *registers);

#endif
