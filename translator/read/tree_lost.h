/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree_lost.h - what libclang lost of a text that has no errors for the compiler. */
#ifndef CAPE_TRANSLATOR_TREE_LOST_H
#define CAPE_TRANSLATOR_TREE_LOST_H

struct unit;

/*
 * Adds the references that are not in unit->tree to it.  Reports an error where operations on
 * _Atomic objects may be lost.
 */
void tree_find_lost(struct unit *unit);

#endif
