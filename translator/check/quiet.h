/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quiet.h - blocks of single constructs that do no input or output, so that any node may run them.
 */
#ifndef CAPE_TRANSLATOR_QUIET_H
#define CAPE_TRANSLATOR_QUIET_H

struct unit;

/* Sets any_node in every single construct whose block is certain to do no input or output. */
void quiet_find(struct unit *unit);

#endif
