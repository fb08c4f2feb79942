/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gap.h - what a region does between two loops that are known. */
#ifndef CAPE_TRANSLATOR_GAP_H
#define CAPE_TRANSLATOR_GAP_H

#include <stdbool.h>

struct unit;
struct directive;

/* Whether all is known of the loop of a directive `for`. */
typedef bool gap_is_known(const struct directive *directive);

/*
 * Whether no thread accesses memory that nodes exchange by need from where the loop of DIRECTIVE
 * ends to where the next known loop begins, or the region ends.
 */
bool gap_is_quiet_after(const struct unit *unit, const struct directive *directive,
			gap_is_known *is_known);

/* The same from where the region of DIRECTIVE begins. */
bool gap_is_quiet_before(const struct unit *unit, const struct directive *directive,
			 gap_is_known *is_known);

#endif
