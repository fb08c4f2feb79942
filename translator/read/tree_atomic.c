/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_atomic.c - the operations on _Atomic objects in a function.
 *
 * Where an object is read, libclang shows a conversion around it; one without, whose address is
 * taken or whose size is asked for, is no operation.
 */
#include "tree_atomic.h"

#include "cursor.h"
#include "tree.h"

static void add(struct tree *tree, enum access_kind kind, struct range object, struct range whole)
{
	struct atomic_access *access;
	size_t i;

	if (object.to <= object.from || whole.from > object.from || whole.to < object.to)
		return; /* put together from several places */
	for (i = tree->accesses.count; i-- > 0;)
		if (tree->accesses.items[i].whole.from == whole.from &&
		    tree->accesses.items[i].whole.to == whole.to)
			return; /* the operand of a macro that has it twice */
	access = list_add(&tree->accesses);
	access->kind = kind;
	access->object = object;
	access->whole = whole;
}

struct accesses {
	struct tree *tree;
	const char *text;
};

/* The `*` that synchronise.c lets stand for a builtin is none of the text's. */
static bool is_written(const struct accesses *accesses, enum CXCursorKind kind, struct range object)
{
	return kind != CXCursor_UnaryOperator || accesses->text[object.from] == '*';
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
	struct range object = cursor_range(cursor), whole = cursor_range(parent);

	const struct accesses *accesses = data;

	if (clang_isExpression(kind) && kind != CXCursor_UnexposedExpr &&
	    type.kind == CXType_Atomic && is_written(accesses, kind, object)) {
		switch (clang_getCursorKind(parent)) {
		case CXCursor_UnexposedExpr:
			add(accesses->tree, ACCESS_READ, object, object);
			break;
		case CXCursor_CompoundAssignOperator:
		case CXCursor_BinaryOperator:
			if (whole.from == object.from)
				add(accesses->tree, ACCESS_ASSIGN, object, whole);
			break;
		case CXCursor_UnaryOperator:
			if (whole.to != object.to || whole.from + 2 <= object.from)
				add(accesses->tree, ACCESS_STEP, object, whole);
			break;
		default:
			break;
		}
	}
	clang_visitChildren(cursor, visit, data);
	return CXChildVisit_Continue;
}

void tree_add_accesses(struct tree *tree, const char *text, CXCursor function)
{
	struct accesses accesses = {tree, text};

	clang_visitChildren(function, visit, &accesses);
}
