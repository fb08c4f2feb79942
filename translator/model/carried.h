/* SPDX-License-Identifier: GPL-2.0-or-later */
/* carried.h - values that threads carry from one share of the work to another. */
#ifndef CAPE_TRANSLATOR_CARRIED_H
#define CAPE_TRANSLATOR_CARRIED_H

#include <stdbool.h>

struct unit;
struct directive;

/*
 * Whether a thread of REGION may use a value that it has been given by its share of the work in
 * another one; or in another iteration, or for anything but what a reduction puts together.
 */
bool carried(const struct unit *unit, const struct directive *region);

/*
 * The same, but functions that pipelines call, between two sync points, may carry values until they
 * return.
 */
bool carried_across(const struct unit *unit, const struct directive *region);

#endif
