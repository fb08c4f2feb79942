/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bind.h - which statement goes with which directive, how constructs nest, and whether a jump
 * leads into or out of one.
 */
#ifndef CAPE_TRANSLATOR_BIND_H
#define CAPE_TRANSLATOR_BIND_H

#include "read/statement.h"

struct unit;

/* Fills unit->statements and what bind sets in the directives; reports what stands wrongly. */
void bind_directives(struct unit *unit);

/* The statement after the unroll and tile directives that begin at node AT. */
int after_transformations(const struct unit *unit, int at);
/* The innermost construct around directive INDEX that begins a parallel region, or -1. */
int enclosing_parallel(const struct unit *unit, int index);

#endif
