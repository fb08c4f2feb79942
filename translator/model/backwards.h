/* SPDX-License-Identifier: GPL-2.0-or-later */
/* backwards.h - loops that count down, of which each thread may have what it has of others. */
#ifndef CAPE_TRANSLATOR_BACKWARDS_H
#define CAPE_TRANSLATOR_BACKWARDS_H

struct unit;

/* Finds them: directive->from_end; after pipelines_find(). */
void backwards_find(struct unit *unit);

#endif
