/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree_atomic.h - the operations on _Atomic objects in a function; for tree.c alone. */
#ifndef CAPE_TRANSLATOR_TREE_ATOMIC_H
#define CAPE_TRANSLATOR_TREE_ATOMIC_H

#include <clang-c/Index.h>

struct tree;

/* Adds the accesses of FUNCTION in TEXT to TREE, an outer expression before those in it. */
void tree_add_accesses(struct tree *tree, const char *text, CXCursor function);

#endif
