/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inject.h - merging the checkpoints of all nodes straight into memory.
 */
#ifndef CAPE_INJECT_H
#define CAPE_INJECT_H

#include "base/context.h"

/*
 * Writes what the nodes' messages (in the channel's in area) say was changed into memory, merged
 * as the thesis defines: later time-stamp, then node, byte by byte where two nodes changed one
 * word.  KEEP as for cape_area_settled().  0, or -EBADMSG for a message that is malformed or
 * names memory that is not shared.
 */
int cape_inject(struct cape_runtime *runtime, bool keep);

/*
 * The same for messages with exact runs: all twins are alike, now that the log was taken, and what
 * nodes changed after that is in the messages.  It ends the run where cape_inject() fails.
 */
void cape_inject_exact(struct cape_runtime *runtime);

#endif
