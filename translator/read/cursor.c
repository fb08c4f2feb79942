/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cursor.c - where libclang's cursors stand in the text. */
#include "cursor.h"

unsigned int location_offset(CXSourceLocation location)
{
	unsigned int offset;

	clang_getFileLocation(location, NULL, NULL, NULL, &offset);
	return offset;
}

unsigned int cursor_offset(CXCursor cursor)
{
	return location_offset(clang_getCursorLocation(cursor));
}

struct range cursor_range(CXCursor cursor)
{
	CXSourceRange extent = clang_getCursorExtent(cursor);

	return (struct range){location_offset(clang_getRangeStart(extent)),
			      location_offset(clang_getRangeEnd(extent))};
}

bool type_is_array(CXType type)
{
	return type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray ||
	       type.kind == CXType_VariableArray || type.kind == CXType_DependentSizedArray;
}

bool type_has_variable_size(CXType type)
{
	type = clang_getCanonicalType(type);
	while (type_is_array(type) || type.kind == CXType_Pointer) {
		if (type.kind == CXType_VariableArray)
			return true;
		type = clang_getCanonicalType(type_is_array(type) ? clang_getArrayElementType(type)
								  : clang_getPointeeType(type));
	}
	return false;
}
