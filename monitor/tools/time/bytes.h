/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.h - bytes of a process of which every write is recorded.
 */
#ifndef CAPE_BYTES_H
#define CAPE_BYTES_H

#include <stdbool.h>
#include "tools/attached.h"

/*
 * Puts the bytes that TEXT means into ORDER, whose process is known: a variable, or with AT
 * "ADDRESS+LENGTH".  NULL, or what is wrong with TEXT.
 */
const char *bytes_parse(struct attached_order *order, const char *text, bool at);

/* Watches them, of a process that stands still.  An exit status. */
int bytes_watch(struct attached *attached, const struct attached_order *order,
		const struct attached_streams *streams);

/* Ends that. */
void bytes_end(const struct attached *attached);

#endif
