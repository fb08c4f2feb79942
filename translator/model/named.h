/* SPDX-License-Identifier: GPL-2.0-or-later */
/* named.h - what an expression reads of shared memory, where the expression names it. */
#ifndef CAPE_TRANSLATOR_NAMED_H
#define CAPE_TRANSLATOR_NAMED_H

#include <stdbool.h>

#include "read/text.h"

struct passing;
struct syntax;

/* Objects whose places can be found before the expression: of one inside another it comes first. */
typedef LIST(const struct syntax *) named_list;

/* Whether all of PIECE, an expression or a declaration or NULL, works on automatic variables. */
bool named_is_harmless(struct passing *passing, const struct syntax *piece);

/*
 * Whether PIECE, an expression or a declaration or NULL, accesses nothing that nodes exchange but
 * what it reads by name, which is added to READS; or may, only under a condition of its own, unless
 * it is CERTAIN that it is evaluated where those places are found.  If not, READS is as it was.
 */
bool named_reads(struct passing *passing, const struct syntax *piece, bool certain,
		 named_list *reads);

#endif
