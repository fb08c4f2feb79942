/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * paper_size.h - the size of a checkpoint's memory members as the thesis counts it (Table 3.3).
 */
#ifndef CAPE_PAPER_SIZE_H
#define CAPE_PAPER_SIZE_H

#include "base/context.h"
#include "checkpoint/runs.h"

/*
 * Bytes of the runs just generated in the structure SSD on the thesis's machine: 4 bytes each of
 * address and length, then the words that changed, and only these.  A run ends where a page does,
 * if the method says so.  To be called before anything is injected.
 */
uint64_t cape_paper_size(struct cape_runtime *runtime, const struct cape_runs *runs);

#endif
