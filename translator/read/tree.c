/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.c - functions, variables and references of the preprocessed text, by libclang. */
#include "tree.h"

#include <clang-c/Index.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtins.h"
#include "cursor.h"
#include "syntax_read.h"
#include "tree_atomic.h"
#include "unit.h"

/*
 * gcc's names for types that clang 14 does not know.  -undef: the text is preprocessed already,
 * so nothing but these may be replaced in it.
 */
static const char *const options[] = {
	"-x",
	"c",
	"-undef",
	"-w",
	"-ferror-limit=0",
	"-fno-builtin", /* for gcc, variables may have the names of the library's functions */
	"-fbracket-depth=1000000", /* stack.h sets the limit */
	"-D_Float16=float",
	"-D_Float32=float",
	"-D_Float64=double",
	"-D_Float32x=double",
	"-D_Float64x=long double",
#ifdef __x86_64__
	"-D_Float128=__float128",
#else
	"-D_Float128=long double",
	"-D__float128=long double",
#endif
	"-D__builtin_tgmath=",
};

#define OPTION_COUNT (sizeof options / sizeof *options)

/* What a visit knows about the place it is at. */
struct visit {
	struct unit *unit;
	int function;
	unsigned int scope_end;
	bool under_address; /* the operand of & */
	bool in_loop_header;
	bool block_extern;
};

static unsigned int name_length(const struct unit *unit, unsigned int offset)
{
	unsigned int token = source_token_at(&unit->source, offset);

	return token < unit->source.tokens.count ? unit->source.tokens.items[token].length : 0;
}

static bool is_integer(enum CXTypeKind kind)
{
	return (kind >= CXType_Bool && kind <= CXType_Int128) || kind == CXType_Enum;
}

static bool is_floating(enum CXTypeKind kind)
{
	return kind == CXType_Float || kind == CXType_Double || kind == CXType_LongDouble ||
	       kind == CXType_Float128 || kind == CXType_Half || kind == CXType_Float16;
}

/* The arithmetic types that enum cape_type of cape.h leaves out, as libclang spells them. */
static const char *own_type(CXType type)
{
	static const char *const types[] = {"__int128",
					    "unsigned __int128",
					    "__float128",
					    "_Complex char",
					    "_Complex signed char",
					    "_Complex unsigned char",
					    "_Complex short",
					    "_Complex unsigned short",
					    "_Complex int",
					    "_Complex unsigned int",
					    "_Complex long",
					    "_Complex unsigned long",
					    "_Complex long long",
					    "_Complex unsigned long long"};
	CXString spelling = clang_getTypeSpelling(type);
	const char *text = clang_getCString(spelling), *found = NULL;
	size_t i;

	if (!strncmp(text, "volatile ", strlen("volatile ")))
		text += strlen("volatile ");
	for (i = 0; i < sizeof types / sizeof *types && !found; i++)
		if (!strcmp(text, types[i]))
			found = types[i];
	clang_disposeString(spelling);
	return found;
}

/* What stands after all subscripts. */
static void describe_elements(struct variable *variable, CXType type)
{
	type = clang_getCanonicalType(type);
	while (type_is_array(type)) {
		variable->levels++;
		type = clang_getCanonicalType(clang_getArrayElementType(type));
		if (!variable->pointer)
			variable->is_const |= clang_isConstQualifiedType(type);
	}
	variable->floating = is_floating(type.kind) || type.kind == CXType_Complex;
	variable->real = is_integer(type.kind) || is_floating(type.kind);
	variable->arithmetic = variable->real || variable->floating;
	if (variable->arithmetic)
		variable->own_type = own_type(type);
}

static enum CXVisitorResult find_array(CXCursor field, CXClientData found)
{
	CXType type = clang_getCanonicalType(clang_getCursorType(field));

	if (type.kind == CXType_Record)
		clang_Type_visitFields(type, find_array, found);
	*(bool *)found |= type_is_array(type);
	return *(bool *)found ? CXVisit_Break : CXVisit_Continue;
}

static void describe_type(struct variable *variable, CXType type)
{
	variable->variable_size = type_has_variable_size(type);
	type = clang_getCanonicalType(type);
	if (type.kind == CXType_Atomic)
		type = clang_getCanonicalType(clang_Type_getValueType(type));
	if (type.kind == CXType_Record)
		clang_Type_visitFields(type, find_array, &variable->holds_array);
	if (variable->parameter && type_is_array(type)) { /* libclang shows it as it is written */
		variable->pointer = true;
		variable->levels = 1;
		describe_elements(variable, clang_getArrayElementType(type));
		return;
	}
	variable->is_const = clang_isConstQualifiedType(type);
	variable->is_volatile = clang_isVolatileQualifiedType(type);
	variable->shape = type_is_array(type)					     ? SHAPE_ARRAY
			  : type.kind == CXType_Record || type.kind == CXType_Vector ? SHAPE_RECORD
										     : SHAPE_SCALAR;
	variable->pointer = type.kind == CXType_Pointer;
	variable->integer = is_integer(type.kind);
	variable->is_word = variable->integer && clang_Type_getSizeOf(type) == sizeof(void *);
	if (variable->pointer) {
		variable->levels = 1;
		type = clang_getPointeeType(type);
	}
	describe_elements(variable, type);
}

unsigned int tree_variable_at(const struct tree *tree, unsigned int offset)
{
	size_t low = 0, high = tree->variables.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (tree->variables.items[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < tree->variables.count && tree->variables.items[low].offset == offset)
		return (unsigned int)low;
	return NO_VARIABLE;
}

bool tree_is_threads_own(const struct tree *tree, unsigned int offset)
{
	unsigned int index = tree_variable_at(tree, offset);

	return index != NO_VARIABLE && (tree->variables.items[index].threadprivate ||
					tree->variables.items[index].is_thread_local);
}

static enum CXChildVisitResult find_alignment(CXCursor cursor, CXCursor parent, CXClientData found)
{
	(void)parent;
	*(bool *)found |= clang_getCursorKind(cursor) == CXCursor_AlignedAttr;
	return CXChildVisit_Continue;
}

static void add_variable(const struct visit *visit, CXCursor cursor)
{
	struct tree *tree = &visit->unit->tree;
	enum CX_StorageClass storage = clang_Cursor_getStorageClass(cursor);
	struct variable *variable;
	unsigned int offset = cursor_offset(cursor), first;

	if (!clang_equalCursors(cursor, clang_getCanonicalCursor(cursor)) && visit->function < 0) {
		first = tree_variable_at(tree, cursor_offset(clang_getCanonicalCursor(cursor)));
		if (first != NO_VARIABLE)
			clang_visitChildren(cursor, find_alignment,
					    &tree->variables.items[first].aligned);
		return; /* one entry for all declarations at file scope */
	}
	variable = list_add(&tree->variables);
	variable->offset = offset;
	variable->length = name_length(visit->unit, offset);
	variable->scope_end = visit->scope_end;
	variable->function = visit->function;
	variable->parameter = clang_getCursorKind(cursor) == CXCursor_ParmDecl;
	variable->automatic =
		visit->function >= 0 && (variable->parameter || storage == CX_SC_None ||
					 storage == CX_SC_Auto || storage == CX_SC_Register);
	variable->is_register = storage == CX_SC_Register;
	variable->is_thread_local = clang_getCursorTLSKind(cursor) != CXTLS_None;
	variable->in_loop_header = visit->in_loop_header;
	clang_visitChildren(cursor, find_alignment, &variable->aligned);
	describe_type(variable, clang_getCursorType(cursor));
}

static void add_reference(const struct visit *visit, CXCursor cursor)
{
	struct tree *tree = &visit->unit->tree;
	CXCursor target = clang_getCursorReferenced(cursor);
	enum CXCursorKind kind = clang_getCursorKind(target);
	struct reference *reference;
	unsigned int variable;

	if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl)
		return;
	variable = tree_variable_at(tree, cursor_offset(target));
	if (variable == NO_VARIABLE)
		variable = tree_variable_at(tree, cursor_offset(clang_getCanonicalCursor(target)));
	if (variable == NO_VARIABLE)
		return;
	if (visit->under_address)
		tree->variables.items[variable].address_taken = true;
	reference = list_add(&tree->references);
	reference->offset = cursor_offset(cursor);
	reference->variable = variable;
}

static void add_literal(const struct visit *visit, CXCursor cursor)
{
	CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
	struct literal *literal;

	if (!type_is_array(type) && !visit->under_address)
		return;
	if (clang_isConstQualifiedType(type) ||
	    (type_is_array(type) && clang_isConstQualifiedType(clang_getArrayElementType(type))))
		return;
	literal = list_add(&visit->unit->tree.literals);
	literal->offset = cursor_range(cursor).from;
	literal->scope_end = visit->scope_end;
}

static void add_enumerator(const struct visit *visit, CXCursor cursor)
{
	struct enumerator *enumerator = list_add(&visit->unit->tree.enumerators);

	enumerator->offset = cursor_offset(cursor);
	enumerator->length = name_length(visit->unit, enumerator->offset);
	enumerator->scope_end = visit->scope_end;
	enumerator->function = visit->function;
	enumerator->value = (long)clang_getEnumConstantDeclValue(cursor);
}

static bool is_address_operator(const struct visit *visit, CXCursor cursor)
{
	const char *text = visit->unit->source.text.data;
	unsigned int from = cursor_range(cursor).from;

	return text[from] == '&' && text[from + 1] != '&';
}

/* A member of a struct is reached by &s.m, not by &p->m; an element by &a[i]. */
static bool keeps_address(const struct visit *visit, CXCursor cursor)
{
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	const struct source *source = &visit->unit->source;
	unsigned int token;

	if (kind == CXCursor_ParenExpr || kind == CXCursor_UnexposedExpr)
		return true;
	if (kind != CXCursor_MemberRefExpr)
		return false;
	token = source_token_at(source, cursor_offset(cursor));
	return token && token < source->tokens.count &&
	       token_is(source, &source->tokens.items[token - 1], ".");
}

static enum CXChildVisitResult visit_body(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const struct visit *outer = data;
	struct visit visit = *outer;
	enum CXCursorKind kind = clang_getCursorKind(cursor);

	(void)parent;
	visit.under_address = false;
	switch (kind) {
	case CXCursor_VarDecl:
		add_variable(outer, cursor);
		visit.in_loop_header = false;
		break;
	case CXCursor_DeclRefExpr:
		add_reference(outer, cursor);
		break;
	case CXCursor_MemberRefExpr:
		visit.under_address = outer->under_address && keeps_address(outer, cursor);
		if (clang_Cursor_isBitField(clang_getCursorReferenced(cursor)))
			*list_add(&outer->unit->tree.bit_fields) = cursor_offset(cursor);
		break;
	case CXCursor_CompoundStmt:
		visit.scope_end = cursor_range(cursor).to;
		visit.in_loop_header = false;
		break;
	case CXCursor_ForStmt:
		visit.scope_end = cursor_range(cursor).to;
		visit.in_loop_header = true;
		break;
	case CXCursor_UnaryOperator:
		visit.under_address = is_address_operator(outer, cursor);
		break;
	case CXCursor_CompoundLiteralExpr:
		add_literal(outer, cursor);
		break;
	case CXCursor_EnumConstantDecl:
		add_enumerator(outer, cursor);
		break;
	case CXCursor_FunctionDecl: /* a prototype: its parameters are no variables */
		return CXChildVisit_Continue;
	default:
		visit.under_address = outer->under_address && keeps_address(outer, cursor);
		break;
	}
	clang_visitChildren(cursor, visit_body, &visit);
	return CXChildVisit_Continue;
}

static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct visit *visit = data;
	struct function *function = &visit->unit->tree.functions.items[visit->function];

	(void)parent;
	switch (clang_getCursorKind(cursor)) {
	case CXCursor_ParmDecl:
		add_variable(visit, cursor);
		clang_visitChildren(cursor, visit_body, visit);
		break;
	case CXCursor_CompoundStmt:
		function->body = cursor_range(cursor);
		clang_visitChildren(cursor, visit_body, visit);
		break;
	default:
		break;
	}
	return CXChildVisit_Continue;
}

static enum CXChildVisitResult visit_volatile(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const struct visit *visit = data;
	CXType type = clang_getCanonicalType(clang_getCursorType(cursor));

	(void)parent;
	if (clang_isExpression(clang_getCursorKind(cursor)) && clang_isVolatileQualifiedType(type))
		*list_add(&visit->unit->tree.volatiles) = cursor_range(cursor).from;
	return CXChildVisit_Recurse;
}

/* Whether a directive stands in [FROM, TO). */
static bool has_directive(const struct unit *unit, struct range range)
{
	size_t low = 0, high = unit->directives.list.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (unit->directives.list.items[middle].offset < range.from)
			low = middle + 1;
		else
			high = middle;
	}
	return low < unit->directives.list.count &&
	       unit->directives.list.items[low].offset < range.to;
}

static void add_function(struct visit *visit, CXCursor cursor)
{
	struct tree *tree = &visit->unit->tree;
	struct range range = cursor_range(cursor);
	struct visit inside = *visit;
	struct function *function;

	if (!clang_isCursorDefinition(cursor))
		return;
	if (visit->unit->synchronisation.objects)
		tree_add_accesses(tree, visit->unit->source.text.data, cursor);
	clang_visitChildren(cursor, visit_volatile, visit);
	if (!has_directive(visit->unit, range))
		return;
	inside.function = (int)tree->functions.count;
	inside.scope_end = range.to;
	function = list_add(&tree->functions);
	function->begin = range.from;
	function->name = cursor_offset(cursor);
	function->is_static = clang_getCursorLinkage(cursor) == CXLinkage_Internal;
	function->first_variable = (unsigned int)tree->variables.count;
	clang_visitChildren(cursor, visit_function, &inside);
	function = &tree->functions.items[inside.function];
	function->end_variable = (unsigned int)tree->variables.count;
}

static enum CXChildVisitResult visit_type(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (clang_getCursorKind(cursor) == CXCursor_EnumConstantDecl)
		add_enumerator(data, cursor);
	return CXChildVisit_Recurse;
}

static enum CXChildVisitResult visit_file(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct visit *visit = data;

	(void)parent;
	switch (clang_getCursorKind(cursor)) {
	case CXCursor_VarDecl:
		add_variable(visit, cursor);
		break;
	case CXCursor_FunctionDecl:
		add_function(visit, cursor);
		break;
	case CXCursor_EnumDecl:
	case CXCursor_StructDecl:
	case CXCursor_UnionDecl:
		clang_visitChildren(cursor, visit_type, visit);
		break;
	default:
		break;
	}
	return CXChildVisit_Continue;
}

static int compare_references(const void *one, const void *other)
{
	const struct reference *a = one, *b = other;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

void tree_sort_references(struct tree *tree)
{
	size_t i, kept = 0;

	if (!tree->references.count)
		return;
	qsort(tree->references.items, tree->references.count, sizeof *tree->references.items,
	      compare_references);
	for (i = 1; i < tree->references.count; i++)
		if (tree->references.items[i].offset != tree->references.items[kept].offset)
			tree->references.items[++kept] = tree->references.items[i];
	tree->references.count = kept + 1;
}

static char *message_of(CXDiagnostic diagnostic)
{
	CXString spelling = clang_getDiagnosticSpelling(diagnostic);
	char *message = format_text("%s", clang_getCString(spelling));

	clang_disposeString(spelling);
	return message;
}

/* gcc's own headers use builtins that clang does not know: only errors in user text count. */
static void find_error(struct unit *unit, CXTranslationUnit parsed)
{
	unsigned int i, count = clang_getNumDiagnostics(parsed);
	struct tree *tree = &unit->tree;

	for (i = 0; i < count && !tree->errors; i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(parsed, i);

		tree->error = location_offset(clang_getDiagnosticLocation(diagnostic));
		tree->errors = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error &&
			       !source_line_at(&unit->source, tree->error)->system;
		if (tree->errors)
			tree->message = message_of(diagnostic);
		clang_disposeDiagnostic(diagnostic);
	}
}

int tree_read(struct unit *unit, const char *standard)
{
	struct CXUnsavedFile file = {"program.c", unit->source.text.data, unit->source.text.length};
	const char *arguments[OPTION_COUNT + BUILTINS_COUNT + 1];
	int count = (int)OPTION_COUNT, i;
	struct visit visit = {
		.unit = unit, .function = -1, .scope_end = (unsigned int)unit->source.text.length};
	CXIndex index = clang_createIndex(0, 0);
	CXTranslationUnit parsed;
	enum CXErrorCode error;

	memcpy(arguments, options, sizeof options);
	for (i = 0; unit->synchronisation.any && i < BUILTINS_COUNT; i++)
		arguments[count++] = builtins_options[i];
	if (standard)
		arguments[count++] = standard;
	error = clang_parseTranslationUnit2(index, "program.c", arguments, count, &file, 1,
					    CXTranslationUnit_KeepGoing, &parsed);
	if (error != CXError_Success) {
		clang_disposeIndex(index);
		return -EINVAL;
	}
	find_error(unit, parsed);
	clang_visitChildren(clang_getTranslationUnitCursor(parsed), visit_file, &visit);
	tree_sort_references(&unit->tree);
	syntax_read(unit, parsed);
	clang_disposeTranslationUnit(parsed);
	clang_disposeIndex(index);
	return 0;
}

void tree_free(struct tree *tree)
{
	list_free(&tree->variables);
	list_free(&tree->references);
	list_free(&tree->enumerators);
	list_free(&tree->literals);
	list_free(&tree->volatiles);
	list_free(&tree->bit_fields);
	list_free(&tree->functions);
	memory_free(tree->message);
	list_free(&tree->accesses);
}

static bool has_name(const struct unit *unit, const struct variable *variable, unsigned int name,
		     unsigned int length)
{
	const char *text = unit->source.text.data;

	return variable->length == length && !memcmp(text + variable->offset, text + name, length);
}

unsigned int tree_lookup(const struct unit *unit, unsigned int name, unsigned int length,
			 unsigned int at, int function)
{
	const struct tree *tree = &unit->tree;
	unsigned int i, found = NO_VARIABLE;

	if (function >= 0) {
		const struct function *scope = &tree->functions.items[function];

		for (i = scope->end_variable; i-- > scope->first_variable;)
			if (tree->variables.items[i].offset < at &&
			    at < tree->variables.items[i].scope_end &&
			    has_name(unit, &tree->variables.items[i], name, length))
				return i;
	}
	for (i = 0; i < tree->variables.count && tree->variables.items[i].offset < at; i++)
		if (tree->variables.items[i].function < 0 &&
		    has_name(unit, &tree->variables.items[i], name, length))
			found = i;
	return found;
}

size_t tree_reference_at(const struct tree *tree, unsigned int offset)
{
	size_t low = 0, high = tree->references.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (tree->references.items[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
