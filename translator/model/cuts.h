/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cuts.h - conditions on the values of loops, in the form of ends of these loops. */
#ifndef CAPE_TRANSLATOR_CUTS_H
#define CAPE_TRANSLATOR_CUTS_H

#include "sets.h"

/*
 * Takes conditions of SETS apart, as i == 0 || j > 1, into such that hold up to one value of a loop
 * or from one value on (even.h), each in the one before or beside it.  What is under a condition
 * may be a part of several others after that, of which at most one holds.
 */
void cuts_find(struct unit *unit, struct sets *sets);

#endif
