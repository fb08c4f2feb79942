/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instants.h - what a locked process was at the beginning of each epoch, beside its memory, which
 * the driver keeps.
 */
#ifndef CAPE_INSTANTS_H
#define CAPE_INSTANTS_H

#include <stddef.h>
#include <stdint.h>
#include "tools/core.h"
#include "tools/registers.h"
#include "tools/tracee.h"

struct instant {
	uint64_t epoch;
	struct registers registers;
	struct core_facts facts;
};

struct instants {
	struct instant *instant; /* the oldest first */
	size_t count;		 /* 0: it is not locked */
};

/* Saves what TRACEE, which stands still, is now.  0 or an errno; then nothing was saved. */
int instants_add(struct instants *instants, uint64_t epoch, const struct tracee *tracee);

/* Of EPOCH, or the newest for 0; NULL if there is none. */
struct instant *instants_find(const struct instants *instants, uint64_t epoch);

/* Forgets one that there is. */
void instants_drop(struct instants *instants, struct instant *instant);

void instants_free(struct instants *instants);

#endif
