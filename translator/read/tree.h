/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - what the translator knows of the program's names: functions, variables, references.
 *
 * After it (and tree_atomic.h) is libclang; no other file includes its headers.  Bodies are looked
 * into only where a directive stands, so large headers cost nothing.
 */
#ifndef CAPE_TRANSLATOR_TREE_H
#define CAPE_TRANSLATOR_TREE_H

#include "source.h"

struct unit;

enum shape {
	SHAPE_SCALAR,
	SHAPE_ARRAY,
	SHAPE_RECORD,
};

struct variable {
	unsigned int offset; /* of its name in the declaration; variables are sorted by it */
	unsigned int length;
	unsigned int scope_end;
	int function; /* index, or -1 at file scope */
	enum shape shape;
	bool automatic; /* parameters too */
	bool parameter;
	bool is_register;
	bool is_thread_local; /* __thread, _Thread_local */
	bool is_const;	      /* an array: its elements */
	bool is_volatile;
	bool pointer;
	bool integer;	      /* fit for a loop: integer or enumeration */
	bool is_word;	      /* an integer as wide as an address */
	bool arithmetic;      /* it, or the elements after all its levels */
	bool real;	      /* arithmetic, not complex */
	const char *own_type; /* element type, if the run time knows no reduction of it, or NULL */
	bool floating;	      /* element type is floating or complex */
	bool variable_size;   /* its type depends on a value: int (*)[n] too */
	bool holds_array;     /* a struct or union with an array in it */
	bool aligned;	      /* by an attribute or _Alignas of its own */
	bool address_taken;   /* by &, anywhere in its function */
	bool in_loop_header;
	bool threadprivate;  /* set by sharing */
	bool remembered;     /* set by rewrite: its address is kept for a scope that hides it */
	unsigned int levels; /* of subscripts down to the elements: arrays, one for a pointer */
};

struct reference {
	unsigned int offset; /* references are sorted by it */
	unsigned int variable;
};

typedef LIST(struct reference) reference_list;

/* An array or struct literal with automatic storage. */
struct literal {
	unsigned int offset;
	unsigned int scope_end;
};

/* An enumeration constant; those of blocks, only where directives are. */
struct enumerator {
	unsigned int offset;
	unsigned int length;
	unsigned int scope_end;
	int function; /* index, or -1 at file scope */
	long value;
};

struct function {
	unsigned int begin; /* of its declaration */
	unsigned int name;  /* offset of its name */
	struct range body;  /* from { to after } */
	bool is_static;
	unsigned int first_variable; /* its variables are [first_variable, end_variable) */
	unsigned int end_variable;
};

enum access_kind {
	ACCESS_READ,
	ACCESS_ASSIGN, /* by = or one of its kind, after the object */
	ACCESS_STEP,   /* ++ or --, before the object or after it */
};

/* An operation on an _Atomic object. */
struct atomic_access {
	enum access_kind kind;
	struct range object;
	struct range whole; /* the expression that it makes */
};

struct tree {
	LIST(struct variable) variables;
	reference_list references;
	LIST(struct enumerator) enumerators; /* in the order of the text */
	LIST(struct literal) literals;
	LIST(unsigned int) bit_fields;	     /* offsets where they are named, in regions or not */
	LIST(unsigned int) volatiles;	     /* offsets where volatile objects are named */
	LIST(struct function) functions;     /* only those with a directive inside */
	LIST(struct atomic_access) accesses; /* if unit->synchronisation.objects says so */
	bool errors;	    /* the parser met something that it takes for an error, */
	unsigned int error; /* the first time at this offset, */
	char *message;	    /* as it says */
};

/*
 * Fills unit->tree from unit->source and unit->directives.  STANDARD is the user's -std= option or
 * NULL.  Returns 0 or -errno; errors in the C text are no failure (the compiler will word them).
 */
int tree_read(struct unit *unit, const char *standard);
void tree_free(struct tree *tree);

/* The variable that NAME (at offset NAME, LENGTH long) means at position AT; or NO_VARIABLE. */
unsigned int tree_lookup(const struct unit *unit, unsigned int name, unsigned int length,
			 unsigned int at, int function);
/* The variable that is declared at OFFSET, or NO_VARIABLE. */
unsigned int tree_variable_at(const struct tree *tree, unsigned int offset);

/* Whether that is a static variable that each thread has for itself. */
bool tree_is_threads_own(const struct tree *tree, unsigned int offset);
/* Puts the references in order, one for each offset. */
void tree_sort_references(struct tree *tree);
/* The index of the first reference at or after OFFSET. */
size_t tree_reference_at(const struct tree *tree, unsigned int offset);

#endif
