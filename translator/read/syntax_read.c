/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syntax_read.c - functions as trees, from libclang's. */
#include "syntax_read.h"

#include <stdio.h>
#include <string.h>

#include "cursor.h"
#include "syntax.h"
#include "unit.h"

typedef LIST(CXCursor) cursor_list;

static struct syntax *read_any(struct unit *unit, CXCursor cursor);

static const char *word_of(struct unit *unit, CXString string)
{
	const char *text = clang_getCString(string);
	const char *word = syntax_word(&unit->syntax, text, strlen(text));

	clang_disposeString(string);
	return word;
}

/* The token at or after OFFSET, as a word. */
static const char *token_word(struct unit *unit, unsigned int offset)
{
	unsigned int at = source_token_at(&unit->source, offset);
	const struct token *token = &unit->source.tokens.items[at];

	if (at >= unit->source.tokens.count)
		return "";
	return syntax_word(&unit->syntax, unit->source.text.data + token->offset, token->length);
}

static enum CXChildVisitResult add_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	*list_add((cursor_list *)data) = cursor;
	return CXChildVisit_Continue;
}

/* -- types ------------------------------------------------------------------------------------- */

static enum type_kind kind_of(CXType type)
{
	if (type_is_array(type))
		return TYPE_ARRAY;
	switch (type.kind) {
	case CXType_Pointer:
		return TYPE_POINTER;
	case CXType_Record:
		return TYPE_RECORD;
	case CXType_Enum:
		return TYPE_INTEGER;
	case CXType_Float:
	case CXType_Double:
	case CXType_LongDouble:
	case CXType_Float128:
		return TYPE_FLOATING;
	default:
		return type.kind >= CXType_Bool && type.kind <= CXType_Int128 ? TYPE_INTEGER
									      : TYPE_OTHER;
	}
}

static struct type type_of(struct unit *unit, CXType written)
{
	CXType type = clang_getCanonicalType(written);
	struct type result = {.is_volatile = clang_isVolatileQualifiedType(type)};

	if (type.kind == CXType_Atomic) {
		result.is_atomic = true;
		type = clang_getCanonicalType(clang_Type_getValueType(type));
	}
	result.kind = kind_of(type);
	result.variable_size = type_has_variable_size(type);
	result.name = word_of(unit, clang_getTypeSpelling(type));
	return result;
}

/* Of a parameter, which libclang shows as it is written: an array is a pointer. */
static void adjust_parameter(struct unit *unit, struct type *type)
{
	if (type->kind != TYPE_ARRAY)
		return;
	type->kind = TYPE_POINTER;
	type->name = syntax_decayed(&unit->syntax, type->name);
}

/* -- expressions ------------------------------------------------------------------------------- */

static struct syntax *make(struct unit *unit, enum syntax_kind kind, CXCursor cursor,
			   unsigned int count)
{
	struct syntax *syntax = syntax_new(&unit->syntax, kind, cursor_range(cursor), count);

	if (clang_isExpression(clang_getCursorKind(cursor)))
		syntax->type = type_of(unit, clang_getCursorType(cursor));
	return syntax;
}

/* A piece whose parts are the cursor's, in their order. */
static struct syntax *make_of(struct unit *unit, enum syntax_kind kind, CXCursor cursor,
			      const cursor_list *children)
{
	struct syntax *syntax = make(unit, kind, cursor, (unsigned int)children->count);
	size_t i;

	for (i = 0; i < children->count; i++)
		syntax->parts[i] = read_any(unit, children->items[i]);
	return syntax;
}

static struct syntax *opaque(struct unit *unit, CXCursor cursor)
{
	return make(unit, SYNTAX_OPAQUE, cursor, 0);
}

static struct syntax *read_number(struct unit *unit, CXCursor cursor)
{
	struct syntax *syntax = make(unit, SYNTAX_NUMBER, cursor, 0);

	syntax->word = syntax_word(&unit->syntax, unit->source.text.data + syntax->range.from,
				   syntax->range.to - syntax->range.from);
	return syntax;
}

/* sizeof and the like, where the compiler knows the value. */
static struct syntax *read_size(struct unit *unit, CXCursor cursor)
{
	CXEvalResult result = clang_Cursor_Evaluate(cursor);
	struct syntax *syntax;
	char text[32];

	if (!result || clang_EvalResult_getKind(result) != CXEval_Int) {
		if (result)
			clang_EvalResult_dispose(result);
		return opaque(unit, cursor);
	}
	snprintf(text, sizeof text, "%lluul",
		 (unsigned long long)clang_EvalResult_getAsUnsigned(result));
	clang_EvalResult_dispose(result);
	syntax = make(unit, SYNTAX_NUMBER, cursor, 0);
	syntax->word = syntax_word(&unit->syntax, text, strlen(text));
	return syntax;
}

static struct syntax *read_constant(struct unit *unit, CXCursor cursor, CXCursor target)
{
	struct syntax *syntax = make(unit, SYNTAX_NUMBER, cursor, 0);
	char text[32];

	snprintf(text, sizeof text, "%lld", clang_getEnumConstantDeclValue(target));
	syntax->word = syntax_word(&unit->syntax, text, strlen(text));
	return syntax;
}

static bool is_automatic(CXCursor declaration)
{
	enum CX_StorageClass storage = clang_Cursor_getStorageClass(declaration);

	return clang_getCursorKind(declaration) == CXCursor_ParmDecl ||
	       (clang_getCursorKind(clang_getCursorSemanticParent(declaration)) ==
			CXCursor_FunctionDecl &&
		(storage == CX_SC_None || storage == CX_SC_Auto || storage == CX_SC_Register));
}

static struct syntax *read_name(struct unit *unit, CXCursor cursor)
{
	CXCursor target = clang_getCursorReferenced(cursor);
	struct syntax *syntax;

	switch (clang_getCursorKind(target)) {
	case CXCursor_EnumConstantDecl:
		return read_constant(unit, cursor, target);
	case CXCursor_VarDecl:
	case CXCursor_ParmDecl:
		syntax = make(unit, SYNTAX_VARIABLE, cursor, 0);
		syntax->automatic = is_automatic(target);
		syntax->declaration = cursor_offset(
			syntax->automatic ? target : clang_getCanonicalCursor(target));
		syntax->word = word_of(unit, clang_getCursorSpelling(target));
		if (clang_getCursorKind(target) == CXCursor_ParmDecl)
			adjust_parameter(unit, &syntax->type);
		return syntax;
	default:
		return opaque(unit, cursor);
	}
}

/* What is subscripted first, also of 2[a]. */
static struct syntax *read_element(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	struct syntax *syntax, *first;

	if (children->count != 2)
		return opaque(unit, cursor);
	syntax = make_of(unit, SYNTAX_ELEMENT, cursor, children);
	first = syntax->parts[0];
	if (first->type.kind == TYPE_INTEGER) {
		syntax->parts[0] = syntax->parts[1];
		syntax->parts[1] = first;
	}
	return syntax;
}

static struct syntax *read_member(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	unsigned int token = source_token_at(&unit->source, cursor_offset(cursor));
	struct syntax *syntax;

	if (children->count != 1 || !token)
		return opaque(unit, cursor);
	syntax = make_of(unit, SYNTAX_MEMBER, cursor, children);
	syntax->word = word_of(unit, clang_getCursorSpelling(cursor));
	syntax->arrow = token_is(&unit->source, &unit->source.tokens.items[token - 1], "->");
	syntax->type.bit_field = clang_Cursor_isBitField(clang_getCursorReferenced(cursor));
	/* What stands in a struct without a name has none, and the name stands for both. */
	return *syntax->word ? syntax : opaque(unit, cursor);
}

static struct syntax *read_unary(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	struct range whole = cursor_range(cursor), inside;
	struct syntax *syntax;
	const char *word;

	if (children->count != 1)
		return opaque(unit, cursor);
	inside = cursor_range(children->items[0]);
	word = token_word(unit, inside.from > whole.from ? whole.from : inside.to);
	syntax = make_of(unit, SYNTAX_UNARY, cursor, children);
	syntax->word = word;
	if (!strcmp(word, "++") || !strcmp(word, "--"))
		syntax->kind = SYNTAX_STEP;
	else if (!strcmp(word, "*"))
		syntax->kind = SYNTAX_TARGET;
	else if (!strcmp(word, "&"))
		syntax->kind = SYNTAX_ADDRESS;
	else if (!strchr("+-~!", *word))
		return opaque(unit, cursor);
	return syntax;
}

static struct syntax *read_binary(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	struct syntax *syntax;

	if (children->count != 2)
		return opaque(unit, cursor);
	syntax = make_of(unit, SYNTAX_BINARY, cursor, children);
	syntax->word = token_word(unit, syntax->parts[0]->range.to);
	if (!strcmp(syntax->word, "=") ||
	    clang_getCursorKind(cursor) == CXCursor_CompoundAssignOperator)
		syntax->kind = SYNTAX_ASSIGN;
	return syntax;
}

/* A function that is called by its name has no part for the name. */
static struct syntax *read_call(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	CXCursor target = clang_getCursorReferenced(cursor);
	struct syntax *syntax;
	size_t i;

	if (clang_getCursorKind(target) != CXCursor_FunctionDecl || !children->count)
		return opaque(unit, cursor);
	syntax = make(unit, SYNTAX_CALL, cursor, (unsigned int)children->count - 1);
	syntax->word = word_of(unit, clang_getCursorSpelling(target));
	for (i = 1; i < children->count; i++)
		syntax->parts[i - 1] = read_any(unit, children->items[i]);
	target = clang_getCursorDefinition(target);
	if (!clang_Cursor_isNull(target))
		syntax->declaration = cursor_offset(target);
	return syntax;
}

/* Brackets and conversions by themselves are what is in them, but for the place. */
static struct syntax *read_inside(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	struct syntax *syntax;

	if (children->count != 1)
		return opaque(unit, cursor);
	syntax = read_any(unit, children->items[0]);
	syntax->range = cursor_range(cursor);
	return syntax;
}

static struct syntax *read_cast(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	struct syntax *syntax = make(unit, SYNTAX_CAST, cursor, 1);

	if (!children->count)
		return opaque(unit, cursor);
	syntax->parts[0] = read_any(unit, children->items[children->count - 1]);
	return syntax;
}

/* (type){ a, b }: the list, before which the type's name may stand. */
static struct syntax *read_literal(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	struct syntax *syntax;

	if (!children->count)
		return opaque(unit, cursor);
	syntax = make(unit, SYNTAX_LIST, cursor, 1);
	syntax->parts[0] = read_any(unit, children->items[children->count - 1]);
	return syntax;
}

static struct syntax *read_expression(struct unit *unit, CXCursor cursor,
				      const cursor_list *children)
{
	switch (clang_getCursorKind(cursor)) {
	case CXCursor_IntegerLiteral:
	case CXCursor_FloatingLiteral:
	case CXCursor_CharacterLiteral:
	case CXCursor_StringLiteral:
		return read_number(unit, cursor);
	case CXCursor_UnaryExpr:
		return read_size(unit, cursor);
	case CXCursor_DeclRefExpr:
		return read_name(unit, cursor);
	case CXCursor_MemberRefExpr:
		return read_member(unit, cursor, children);
	case CXCursor_ArraySubscriptExpr:
		return read_element(unit, cursor, children);
	case CXCursor_UnaryOperator:
		return read_unary(unit, cursor, children);
	case CXCursor_BinaryOperator:
	case CXCursor_CompoundAssignOperator:
		return read_binary(unit, cursor, children);
	case CXCursor_ConditionalOperator:
		return children->count == 3 ? make_of(unit, SYNTAX_CHOICE, cursor, children)
					    : opaque(unit, cursor);
	case CXCursor_CallExpr:
		return read_call(unit, cursor, children);
	case CXCursor_UnexposedExpr:
	case CXCursor_ParenExpr:
		return read_inside(unit, cursor, children);
	case CXCursor_CStyleCastExpr:
		return read_cast(unit, cursor, children);
	case CXCursor_CompoundLiteralExpr:
		return read_literal(unit, cursor, children);
	case CXCursor_InitListExpr:
		return make_of(unit, SYNTAX_LIST, cursor, children);
	default:
		return opaque(unit, cursor);
	}
}

/* -- statements -------------------------------------------------------------------------------- */

/* Whether a function is called where the variable's block ends. */
static bool is_cleaned_up(const struct unit *unit, const cursor_list *children)
{
	const struct source *source = &unit->source;

	for (size_t i = 0; i < children->count; i++) {
		unsigned int at = source_token_at(source, cursor_range(children->items[i]).from);

		if (clang_getCursorKind(children->items[i]) == CXCursor_UnexposedAttr &&
		    at < source->tokens.count &&
		    token_is_cleanup(source, &source->tokens.items[at]))
			return true;
	}
	return false;
}

/* A variable of which that is so: a word tells it from other strange pieces. */
static struct syntax *read_cleaned_up(struct unit *unit, CXCursor cursor)
{
	struct syntax *syntax = make(unit, SYNTAX_STRANGE, cursor, 0);

	syntax->word = "cleanup";
	return syntax;
}

static bool cleans_up(const struct syntax *declarations)
{
	for (unsigned int i = 0; i < declarations->count; i++)
		if (declarations->parts[i]->kind == SYNTAX_STRANGE && declarations->parts[i]->word)
			return true;
	return false;
}

/* A piece more than the statements, perhaps: what is called where it ends. */
static struct syntax *read_block(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	unsigned int count = (unsigned int)children->count, i;
	struct syntax *syntax = make(unit, SYNTAX_BLOCK, cursor, count + 1);
	struct range end = {syntax->range.to - 1, syntax->range.to};
	bool cleans = false;

	for (i = 0; i < count; i++) {
		syntax->parts[i] = read_any(unit, children->items[i]);
		cleans |= syntax->parts[i]->kind == SYNTAX_BLOCK && cleans_up(syntax->parts[i]);
	}
	if (cleans)
		syntax->parts[count] = syntax_new(&unit->syntax, SYNTAX_STRANGE, end, 0);
	else
		syntax->count = count;
	return syntax;
}

/* The sizes of what CURSOR declares, which are computed there. */
static void add_sizes(CXCursor cursor, cursor_list *all)
{
	CXType type = clang_getCursorKind(cursor) == CXCursor_TypedefDecl
			      ? clang_getTypedefDeclUnderlyingType(cursor)
			      : clang_getCursorType(cursor);
	CXCursor value = clang_Cursor_getVarDeclInitializer(cursor);
	cursor_list children = {0};

	if (!type_has_variable_size(type))
		return;
	clang_visitChildren(cursor, add_child, &children);
	for (size_t i = 0; i < children.count; i++)
		if (clang_isExpression(clang_getCursorKind(children.items[i])) &&
		    !clang_equalCursors(children.items[i], value))
			*list_add(all) = children.items[i];
	list_free(&children);
}

static struct syntax *read_declarations(struct unit *unit, CXCursor cursor,
					const cursor_list *children)
{
	cursor_list all = {0};
	struct syntax *syntax;

	for (size_t i = 0; i < children->count; i++) {
		add_sizes(children->items[i], &all);
		*list_add(&all) = children->items[i];
	}
	syntax = make_of(unit, SYNTAX_BLOCK, cursor, &all);
	list_free(&all);
	return syntax;
}

/* Its first value is the last expression in it; what stands before is the size of an array. */
static struct syntax *read_variable(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	CXCursor value = clang_Cursor_getVarDeclInitializer(cursor);
	bool has_value = clang_getCursorKind(cursor) == CXCursor_VarDecl && children->count &&
			 !clang_Cursor_isNull(value);
	struct syntax *syntax = make(unit, SYNTAX_DECLARATION, cursor, has_value);

	syntax->automatic = is_automatic(cursor);
	syntax->declaration =
		cursor_offset(syntax->automatic ? cursor : clang_getCanonicalCursor(cursor));
	syntax->word = word_of(unit, clang_getCursorSpelling(cursor));
	syntax->type = type_of(unit, clang_getCursorType(cursor));
	if (clang_getCursorKind(cursor) == CXCursor_ParmDecl)
		adjust_parameter(unit, &syntax->type);
	if (has_value)
		syntax->parts[0] = read_any(unit, value);
	return syntax;
}

/* Which of the four parts of a for statement begins at OFFSET. */
static unsigned int part_of_for(const struct unit *unit, CXCursor cursor, unsigned int offset)
{
	const struct source *source = &unit->source;
	unsigned int at = source_token_at(source, cursor_range(cursor).from) + 1, close, part = 0;

	if (at >= source->tokens.count || source->tokens.items[at].match == NO_MATCH)
		return 3;
	close = source->tokens.items[at].match;
	if (offset >= source->tokens.items[close].offset)
		return 3;
	for (at++; at < close && source->tokens.items[at].offset < offset; at++) {
		unsigned int match = source->tokens.items[at].match;

		if (match != NO_MATCH && match > at)
			at = match;
		part += token_is(source, &source->tokens.items[at], ";");
	}
	return part;
}

static struct syntax *read_for(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	struct syntax *syntax = make(unit, SYNTAX_FOR, cursor, 4);
	size_t i;

	for (i = 0; i < children->count; i++) {
		unsigned int part =
			i + 1 == children->count
				? 3
				: part_of_for(unit, cursor, cursor_range(children->items[i]).from);

		syntax->parts[part] = read_any(unit, children->items[i]);
	}
	return syntax;
}

static struct syntax *read_if(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	struct syntax *syntax = make(unit, SYNTAX_IF, cursor, 3);
	size_t i;

	for (i = 0; i < children->count && i < 3; i++)
		syntax->parts[i] = read_any(unit, children->items[i]);
	return syntax;
}

/* The condition first, also of do. */
static struct syntax *read_loop(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	struct syntax *syntax = make_of(unit, SYNTAX_LOOP, cursor, children), *first;

	if (syntax->count != 2) {
		syntax->kind = SYNTAX_STRANGE;
		syntax->count = 0;
	} else if (clang_getCursorKind(cursor) == CXCursor_DoStmt) {
		first = syntax->parts[0];
		syntax->parts[0] = syntax->parts[1];
		syntax->parts[1] = first;
	}
	return syntax;
}

static struct syntax *read_leave(struct unit *unit, CXCursor cursor, const cursor_list *children)
{
	struct syntax *syntax = make_of(unit, SYNTAX_LEAVE, cursor, children);

	syntax->word = token_word(unit, syntax->range.from);
	return syntax;
}

static struct syntax *read_any(struct unit *unit, CXCursor cursor)
{
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	cursor_list children = {0};
	struct syntax *syntax;

	clang_visitChildren(cursor, add_child, &children);
	switch (kind) {
	case CXCursor_CompoundStmt:
		syntax = read_block(unit, cursor, &children);
		break;
	case CXCursor_DeclStmt:
		syntax = read_declarations(unit, cursor, &children);
		break;
	case CXCursor_VarDecl:
		syntax = is_cleaned_up(unit, &children) ? read_cleaned_up(unit, cursor)
							: read_variable(unit, cursor, &children);
		break;
	case CXCursor_IfStmt:
		syntax = read_if(unit, cursor, &children);
		break;
	case CXCursor_ForStmt:
		syntax = read_for(unit, cursor, &children);
		break;
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt:
		syntax = read_loop(unit, cursor, &children);
		break;
	case CXCursor_BreakStmt:
	case CXCursor_ContinueStmt:
	case CXCursor_ReturnStmt:
		syntax = read_leave(unit, cursor, &children);
		break;
	/* Not followed, but what stands in it is found. */
	case CXCursor_SwitchStmt:
	case CXCursor_CaseStmt:
	case CXCursor_DefaultStmt:
		syntax = make_of(unit, SYNTAX_STRANGE, cursor, &children);
		break;
	case CXCursor_NullStmt:
	case CXCursor_StructDecl:
	case CXCursor_UnionDecl:
	case CXCursor_EnumDecl:
	case CXCursor_TypedefDecl:
		syntax = make(unit, SYNTAX_NOTHING, cursor, 0);
		break;
	default:
		syntax = clang_isExpression(kind) ? read_expression(unit, cursor, &children)
						  : make(unit, SYNTAX_STRANGE, cursor, 0);
		break;
	}
	list_free(&children);
	return syntax;
}

/* -- functions --------------------------------------------------------------------------------- */

static enum CXChildVisitResult visit_file(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct unit *unit = data;
	struct syntax_function *function;
	cursor_list children = {0};
	size_t i;

	(void)parent;
	if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl ||
	    !clang_isCursorDefinition(cursor) ||
	    source_line_at(&unit->source, cursor_offset(cursor))->system)
		return CXChildVisit_Continue;
	function = list_add(&unit->syntax.functions);
	function->name = cursor_offset(cursor);
	function->is_variadic = clang_isFunctionTypeVariadic(clang_getCursorType(cursor));
	function->is_static = clang_getCursorLinkage(cursor) == CXLinkage_Internal;
	clang_visitChildren(cursor, add_child, &children);
	for (i = 0; i < children.count; i++)
		if (clang_getCursorKind(children.items[i]) == CXCursor_ParmDecl)
			*list_add(&function->parameters) =
				read_variable(unit, children.items[i], &(cursor_list){0});
		else if (clang_getCursorKind(children.items[i]) == CXCursor_CompoundStmt)
			function->body = read_any(unit, children.items[i]);
	list_free(&children);
	return CXChildVisit_Continue;
}

/* A call may stand before the function that it calls. */
static void find_called(struct unit *unit, struct syntax *syntax)
{
	struct syntax_trees *trees = &unit->syntax;
	size_t i;

	if (!syntax)
		return;
	for (i = 0; syntax->kind == SYNTAX_CALL && i < trees->functions.count; i++)
		if (trees->functions.items[i].name == syntax->declaration &&
		    (trees->functions.items[i].is_static || !unit->has_weak))
			syntax->function = (int)i;
	for (i = 0; i < syntax->count; i++)
		find_called(unit, syntax->parts[i]);
}

void syntax_read(struct unit *unit, CXTranslationUnit parsed)
{
	const char *text = unit->source.text.data;
	size_t i;

	unit->has_weak = strstr(text, "weak");
	unit->has_alias = strstr(text, "alias") || strstr(text, "asm");
	clang_visitChildren(clang_getTranslationUnitCursor(parsed), visit_file, unit);
	for (i = 0; i < unit->syntax.functions.count; i++)
		find_called(unit, unit->syntax.functions.items[i].body);
}
