/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kept.h - --save-checkpoints: what the monitor writes to a file.
 */
#ifndef CAPE_SYNC_KEPT_H
#define CAPE_SYNC_KEPT_H

#include "base/context.h"
#include "message/message.h"

/* Adds the bytes of this node's runs that differ from their base, as CAPE_SECTION_EXACT. */
void cape_kept_put(struct cape_runtime *runtime, struct cape_message_writer *writer);

#endif
