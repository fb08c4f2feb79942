/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - writing down who wrote to the pages of a process.
 */
#ifndef CAPE_RECORD_H
#define CAPE_RECORD_H

#include "tools/attached.h"

/*
 * Writes a recording (recording.h) to STREAMS->out, until the process ends, SIGINT or SIGTERM
 * comes, or ORDER->length seconds are over, unless that is 0.  An exit status.
 */
int record(const struct attached_order *order, const struct attached_streams *streams);

#endif
