/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statistics.h - cape-run --stats.
 */
#ifndef CAPE_STATISTICS_H
#define CAPE_STATISTICS_H

#include "base/node.h"

/* Gathers what all nodes counted; node 0's monitor prints it to stderr.  Collective. */
void statistics_print(struct node *node);

#endif
