/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.h - printing every page of a process at its first write.
 */
#ifndef CAPE_WATCH_H
#define CAPE_WATCH_H

#include "attached.h"

/* Until the process ends or SIGINT or SIGTERM comes.  An exit status. */
int watch(const struct attached_order *order, const struct attached_streams *streams);

#endif
