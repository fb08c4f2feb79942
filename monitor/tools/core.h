/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core.h - a core file of a locked process, as it was when it was locked, while it runs on.
 */
#ifndef CAPE_CORE_H
#define CAPE_CORE_H

#include <stdio.h>
#include "registers.h"
#include "tracee.h"

/* What /proc tells of a process at the instant of the lock, beside its registers. */
struct core_facts {
	char *maps, *auxiliary, *command;
	size_t maps_size, auxiliary_size, command_size;
};

/* 0 or an errno; then there is nothing to free. */
int core_save(struct core_facts *facts, pid_t pid);
void core_free(struct core_facts *facts);

struct core_source {
	int descriptor; /* the driver's */
	uint64_t epoch; /* that is asked for; 0: the newest */
	struct tracee *tracee;
	const struct registers *registers;
	const struct core_facts *facts;
};

/*
 * Writes the file to OUT, in order; zeros become holes if that is a file.  0, an errno, or a
 * negative one if OUT could not be written to.
 */
int core_write(const struct core_source *source, FILE *out);

#endif
