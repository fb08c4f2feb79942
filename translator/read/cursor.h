/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cursor.h - where libclang's cursors stand in the text; for who includes its headers alone. */
#ifndef CAPE_TRANSLATOR_CURSOR_H
#define CAPE_TRANSLATOR_CURSOR_H

#include <clang-c/Index.h>
#include <stdbool.h>

#include "source.h"

unsigned int location_offset(CXSourceLocation location);
/* Of the name, if it has one. */
unsigned int cursor_offset(CXCursor cursor);
struct range cursor_range(CXCursor cursor);

bool type_is_array(CXType type);
/* Whether something in the type depends on a value: int (*)[n] too. */
bool type_has_variable_size(CXType type);

#endif
