/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hand_on.h - between two sync points of a planned pipeline: what a node publishes goes straight to
 * the nodes that read it, and not through the log.
 */
#ifndef CAPE_HAND_ON_H
#define CAPE_HAND_ON_H

#include "base/context.h"

/*
 * Until the next sync point; on all nodes alike, where programs are connected and nothing but
 * flushes orders what threads do.  READERS: bit N for node N, which reads something of what this
 * one writes.
 */
void cape_hand_on_begin(struct cape_runtime *runtime, uint32_t readers);

/* What was published and has not gone yet goes to those who are to have it. */
void cape_hand_on_send_all(struct cape_runtime *runtime);

#endif
