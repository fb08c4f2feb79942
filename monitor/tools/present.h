/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * present.h - which parts of a locked process's memory there are at all: a mapping may be larger
 * than any machine, and have five pages.
 */
#ifndef CAPE_PRESENT_H
#define CAPE_PRESENT_H

#include <sys/types.h>
#include "maps.h"
#include "uapi/cape_epoch.h"

struct present {
	int descriptor; /* the driver's */
	pid_t pid;
	uint64_t epoch; /* that is asked for; 0: the newest */
	int pagemap;
	struct cape_extent *range; /* what is locked; none: all */
	uint32_t range_count;
};

/* Bytes at START that may be other than zero; none if END is START. */
struct present_part {
	uint64_t start, end;
};

/* To be closed also after an error.  0 or an errno. */
int present_open(struct present *present, int descriptor, pid_t pid, uint64_t epoch);
void present_close(struct present *present);

/*
 * Looks on in LINE from AT on: up to PART->end there is nothing but PART.  Of what is locked that
 * is as it was then, of other memory as it is now.  0 or an errno.
 */
int present_next(const struct present *present, const struct maps_line *line, uint64_t at,
		 struct present_part *part);

#endif
