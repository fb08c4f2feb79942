/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syntax.h - the functions of the text as trees of expressions and statements.
 *
 * They are libclang's, without the conversions that C makes by itself.  OpenMP's pragmas are not in
 * them: what is between the positions of a directive's statement is.
 */
#ifndef CAPE_TRANSLATOR_SYNTAX_H
#define CAPE_TRANSLATOR_SYNTAX_H

#include <stdbool.h>

#include "source.h"

enum syntax_kind {
	/* Expressions; their parts in the order of the text. */
	SYNTAX_NUMBER,	 /* a constant */
	SYNTAX_VARIABLE, /* by its name */
	SYNTAX_ELEMENT,	 /* a[b] */
	SYNTAX_MEMBER,	 /* a.name or a->name */
	SYNTAX_TARGET,	 /* *a */
	SYNTAX_ADDRESS,	 /* &a */
	SYNTAX_UNARY,	 /* -a and the like */
	SYNTAX_STEP,	 /* ++ or --, before or after a */
	SYNTAX_BINARY,	 /* a + b and the like; the comma, too */
	SYNTAX_ASSIGN,	 /* a = b, a += b and the like */
	SYNTAX_CHOICE,	 /* a ? b : c */
	SYNTAX_CAST,	 /* (type)a */
	SYNTAX_CALL,	 /* the arguments; a function by its name */
	SYNTAX_LIST,	 /* { a, b } as a first value */
	SYNTAX_OPAQUE,	 /* an expression of another kind; it has no parts */
	/* Not of the text, for model/. */
	SYNTAX_ITERATOR, /* the value of a loop's variable */
	SYNTAX_BYTES,	 /* an object: b bytes where a points to */
	/* Statements. */
	SYNTAX_BLOCK,	    /* of statements; declarations of several variables, too */
	SYNTAX_DECLARATION, /* of a variable; its first value, or nothing */
	SYNTAX_IF,	    /* condition, statement, and what stands after else, or nothing */
	SYNTAX_FOR,	/* four parts, each of which may be NULL: first, condition, step, body */
	SYNTAX_LOOP,	/* while, do: the condition, the body */
	SYNTAX_LEAVE,	/* break, continue, return with or without a value */
	SYNTAX_NOTHING, /* an empty statement, a declaration of a type */
	SYNTAX_STRANGE, /* a statement of another kind; but for those of a switch it has no parts */
};

enum type_kind {
	TYPE_INTEGER,
	TYPE_FLOATING,
	TYPE_POINTER,
	TYPE_ARRAY,
	TYPE_RECORD,
	TYPE_OTHER, /* void, functions, vectors, complex numbers */
};

/* Of an expression, or of the variable that a declaration declares. */
struct type {
	enum type_kind kind;
	bool is_volatile;
	bool is_atomic;
	bool variable_size; /* something in it depends on a value */
	bool bit_field;
	const char *name; /* as C writes it, without what typedef calls it; owned by the tree */
};

/* Bytes of an integer's or pointer's value; whether integers of the type wrap around. */
unsigned int type_width(const struct type *type);
bool type_is_unsigned(const struct type *type);

/* A variable, by the place of the first declaration of its name. */
#define NO_DECLARATION ((unsigned int)-1)

struct syntax {
	enum syntax_kind kind;
	struct range range;
	struct type type;
	/*
	 * The operator as it is written; the member's name, the function's name; of a constant its
	 * value as C reads it.  Owned by the tree.
	 */
	const char *word;
	bool arrow;		  /* SYNTAX_MEMBER: -> */
	bool automatic;		  /* SYNTAX_VARIABLE, SYNTAX_DECLARATION: no static storage */
	unsigned int declaration; /* of a variable */
	int function;		  /* SYNTAX_CALL: index into functions, or -1 */
	unsigned int iterator;	  /* SYNTAX_ITERATOR: which */
	unsigned int count;
	struct syntax **parts;
};

struct syntax_function {
	unsigned int name;		  /* its offset */
	LIST(struct syntax *) parameters; /* SYNTAX_DECLARATION without parts */
	struct syntax *body;
	bool is_variadic, is_static;
};

struct syntax_trees {
	LIST(struct syntax_function)
	functions;	     /* those that are defined here, in the text's order */
	LIST(void *) memory; /* of all that is in them */
};

/* A new piece with room for COUNT parts, which are NULL. */
struct syntax *syntax_new(struct syntax_trees *trees, enum syntax_kind kind, struct range range,
			  unsigned int count);
/* A copy of FROM, which has the same parts. */
struct syntax *syntax_copy(struct syntax_trees *trees, const struct syntax *from);
/* A copy of the LENGTH bytes at TEXT, with an end. */
const char *syntax_word(struct syntax_trees *trees, const char *text, size_t length);
/* The type of a pointer to the first element, as C writes it, of the array type NAME. */
const char *syntax_decayed(struct syntax_trees *trees, const char *name);
void syntax_free(struct syntax_trees *trees);

/* The outermost piece that has OFFSET in it and begins there, or NULL. */
struct syntax *syntax_first_from(const struct syntax_trees *trees, unsigned int offset);

/* Whether OFFSET is in the text of PIECE, which may be NULL. */
bool syntax_contains(const struct syntax *piece, unsigned int offset);

/* The one statement in PIECE, a block of that alone; else PIECE, which may be NULL. */
struct syntax *syntax_statement(struct syntax *piece);

/* Whether PIECE, which may be NULL, is of one of two kinds, or something in it. */
bool syntax_has(const struct syntax *piece, enum syntax_kind one, enum syntax_kind other);

/*
 * Calls VISIT for PIECE, its parts, and those of the functions that are called there, once for each
 * function; until it returns true, which is returned.
 */
typedef bool syntax_visit(void *context, const struct syntax *piece);
bool syntax_each(const struct syntax_trees *trees, const struct syntax *piece, syntax_visit *visit,
		 void *context);

/* The index of the function whose body has OFFSET in it, or -1. */
int syntax_function_at(const struct syntax_trees *trees, unsigned int offset);

#define SYNTAX_DEPTH 256 /* of pieces in each other */

/*
 * The pieces that have OFFSET in them, from the body of a function on, each in the one before: to
 * PATH.  How many; 0: there are none, or more than LIMIT.
 */
unsigned int syntax_path(const struct syntax_trees *trees, unsigned int offset,
			 struct syntax **path, unsigned int limit);

/* Whether it stands for an object: something that can be read or written. */
bool syntax_is_object(const struct syntax *syntax);

#endif
