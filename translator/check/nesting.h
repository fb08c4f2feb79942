/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nesting.h - OpenMP's rules for constructs inside constructs and for jumps across them. */
#ifndef CAPE_TRANSLATOR_NESTING_H
#define CAPE_TRANSLATOR_NESTING_H

struct unit;

/* Reports every construct and jump that stands where OpenMP 3.1 (2.10, 1.2.2) forbids it. */
void check_nesting(struct unit *unit);

#endif
