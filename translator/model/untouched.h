/* SPDX-License-Identifier: GPL-2.0-or-later */
/* untouched.h - after which parallel constructs sequential code touches no shared memory. */
#ifndef CAPE_TRANSLATOR_UNTOUCHED_H
#define CAPE_TRANSLATOR_UNTOUCHED_H

#include "read/unit.h"

/* Sets untouched in parallel constructs, and lists in unit->touches where that ends. */
void untouched_find(struct unit *unit);
void untouched_free(touch_list *touches);

#endif
