/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h - the lines of /proc/PID/maps.
 */
#ifndef CAPE_MAPS_H
#define CAPE_MAPS_H

#include <stddef.h>
#include <stdint.h>

struct maps_line {
	uint64_t start, end, offset;
	char protection[5]; /* as "rw-p" */
	const char *name;   /* within the text; not ended by a zero */
	int name_length;
};

struct maps {
	struct maps_line *line;
	size_t count;
};

/* What TEXT says, which must stay where it is; to be freed.  0 or an errno. */
int maps_parse(struct maps *maps, const char *text);
void maps_free(struct maps *maps);

#endif
