/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard.h - the keeper of a monitor, which sees to what the monitor cannot: its own standstill
 * and end.
 */
#ifndef CAPE_GUARD_H
#define CAPE_GUARD_H

#include "base/node.h"

/*
 * Before there is a wire, once the program's child is there.  Makes the run's folder on this
 * machine if need be, and holds it.  0 or -errno.
 */
int guard_start(struct node *node);

/* This monitor is about to end, and the user knows all that it knows. */
void guard_leave(struct node *node);

#endif
