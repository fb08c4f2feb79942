/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syntax_read.h - trees of libclang's, for tree.c alone. */
#ifndef CAPE_TRANSLATOR_SYNTAX_READ_H
#define CAPE_TRANSLATOR_SYNTAX_READ_H

#include <clang-c/Index.h>

struct unit;

/* Fills unit->syntax with the functions of PARSED that stand in the user's files. */
void syntax_read(struct unit *unit, CXTranslationUnit parsed);

#endif
