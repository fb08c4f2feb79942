/* SPDX-License-Identifier: GPL-2.0-or-later */
/* anywhere.h - blocks of single constructs that any node may run. */
#ifndef CAPE_TRANSLATOR_ANYWHERE_H
#define CAPE_TRANSLATOR_ANYWHERE_H

struct unit;

/*
 * Sets any_node in every single construct whose block is certain to use nothing of the outside but
 * the standard streams.
 */
void anywhere_find(struct unit *unit);

#endif
