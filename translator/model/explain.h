/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.h - cape-cc --explain: what is known of what each loop reads and writes. */
#ifndef CAPE_TRANSLATOR_EXPLAIN_H
#define CAPE_TRANSLATOR_EXPLAIN_H

#include "sets.h"

/* Adds the explanation of LIST for a reader, or as one JSON value. */
void explain(struct unit *unit, const sets_list *list, struct text *out);
void explain_json(struct unit *unit, const sets_list *list, struct text *out);

#endif
