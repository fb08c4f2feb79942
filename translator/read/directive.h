/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * directive.h - what each #pragma omp says: the directive, its clauses, their arguments.
 *
 * What is true of every directive of a kind is in directive_facts.h.
 */
#ifndef CAPE_TRANSLATOR_DIRECTIVE_H
#define CAPE_TRANSLATOR_DIRECTIVE_H

#include "source.h"

struct unit;

enum directive_kind {
	DIRECTIVE_PARALLEL,
	DIRECTIVE_FOR,
	DIRECTIVE_PARALLEL_FOR,
	DIRECTIVE_SECTIONS,
	DIRECTIVE_PARALLEL_SECTIONS,
	DIRECTIVE_SECTION,
	DIRECTIVE_SINGLE,
	DIRECTIVE_SCOPE,
	DIRECTIVE_MASTER,
	DIRECTIVE_CRITICAL,
	DIRECTIVE_ATOMIC,
	DIRECTIVE_ORDERED,
	DIRECTIVE_TASK,
	DIRECTIVE_TASKLOOP,
	DIRECTIVE_TASKGROUP,
	DIRECTIVE_SIMD, /* also distribute: the loop runs as it stands */
	DIRECTIVE_HOST, /* target and teams: the block runs as it stands */
	DIRECTIVE_BARRIER,
	DIRECTIVE_FLUSH,
	DIRECTIVE_TASKWAIT,
	DIRECTIVE_TASKYIELD,
	DIRECTIVE_CANCEL,
	DIRECTIVE_THREADPRIVATE,
	DIRECTIVE_DECLARE_REDUCTION,
	DIRECTIVE_ERROR,
	DIRECTIVE_IGNORED, /* says nothing that would change what the program does */
	DIRECTIVE_KINDS_COUNT,
};

enum clause_kind {
	CLAUSE_IF,
	CLAUSE_NUM_THREADS,
	CLAUSE_DEFAULT,
	CLAUSE_PRIVATE,
	CLAUSE_FIRSTPRIVATE,
	CLAUSE_LASTPRIVATE,
	CLAUSE_SHARED,
	CLAUSE_COPYIN,
	CLAUSE_COPYPRIVATE,
	CLAUSE_IN_REDUCTION,
	CLAUSE_REDUCTION,
	CLAUSE_SCHEDULE,
	CLAUSE_COLLAPSE,
	CLAUSE_NOWAIT,
	CLAUSE_ORDERED,
	CLAUSE_LINEAR,
	CLAUSE_FINAL,
	CLAUSE_PRIORITY,
	CLAUSE_FILTER,
	CLAUSE_ACCESS, /* atomic: read, write, update, capture, compare */
	CLAUSE_MEMORY_ORDER,
	CLAUSE_MAP,
	CLAUSE_LIST,	  /* the variables of threadprivate and flush */
	CLAUSE_SIMD_HINT, /* this and the others of the name need no code */
	CLAUSE_PROC_BIND,
	CLAUSE_ORDER,
	CLAUSE_BIND,
	CLAUSE_LOCK_HINT,
	CLAUSE_TASK_HINT,
	CLAUSE_GRAIN, /* taskloop: grainsize, num_tasks */
	CLAUSE_NOGROUP,
	CLAUSE_TASK_REDUCTION,
	CLAUSE_DEPEND,
	CLAUSE_NUM_TEAMS,
	CLAUSE_THREAD_LIMIT,
	CLAUSE_DEVICE_HINT,
	CLAUSE_ORDERED_HINT,
	CLAUSE_NO_CODE, /* any other */
};

#define MAX_SECTIONS 8

/* One subscript of a list item: a[LOWER : LENGTH], or a[LOWER] when it is not a range. */
struct array_section {
	struct range lower;  /* empty: 0 */
	struct range length; /* empty: up to the end */
	bool is_range;
};

#define NO_VARIABLE ((unsigned int)-1)

/* One variable of a clause. */
struct item {
	unsigned int offset; /* of its name */
	unsigned int length;
	unsigned int section_count;
	struct array_section sections[MAX_SECTIONS];
	unsigned int variable; /* index into tree.variables, set by sharing */
	bool declared;	       /* reduction: by a declare reduction; set by sharing */
	bool own;	       /* reduction: of a type that the run time does not know */
};

struct clause {
	enum clause_kind kind;
	unsigned int offset;	   /* of its name */
	const char *name;	   /* as it is written */
	struct range argument;	   /* in the parentheses; schedule: the chunk; linear: the step */
	bool linear;		   /* was that, and is lastprivate now */
	bool implied;		   /* the directive has it without saying so */
	struct range identifier;   /* reduction: its operator or name */
	const char *operator_name; /* reduction: the enum cape_operator to emit, or NULL */
	bool logical_or_sum;	   /* reduction: the identity is 0 */
	bool of_tasks;		   /* reduction: tasks inside take part */
	const char *call;	   /* schedule: the function that says it, or NULL; grainsize,
				      num_tasks: the enum cape_taskloop */
	bool none;		   /* default(none) */
	bool fixed;		   /* order(concurrent): shared out alike each time */
	unsigned long number;	   /* collapse */
	LIST(struct item) items;
};

struct loop;
struct declaration;
struct said;
struct sets;

struct directive {
	enum directive_kind kind;
	bool simd;	       /* has clauses of simd too */
	bool device;	       /* has clauses of target, teams, distribute too */
	bool teams;	       /* a league, of one team */
	bool target;	       /* runs on a device, which is the host */
	bool master;	       /* parallel master */
	bool loop;	       /* says loop; bind decides whether a team shares it out */
	bool transforms;       /* unroll, tile: says how the loop after it runs */
	bool combined;	       /* its body is the next directive of the list: a taskloop */
	struct range argument; /* critical: its name; cancel: the construct */
	unsigned int offset;   /* of the pragma line */
	unsigned int end;
	unsigned int name; /* offset of the word that names the directive */
	LIST(struct clause) clauses;
	struct declaration *declaration; /* of a declare reduction, or NULL */
	/* set by said_read: what the program says of the loop, or NULL */
	struct said *said;
	/* set by bind */
	int parent;	   /* index of the innermost construct around it, or -1 */
	int function;	   /* index into tree.functions, or -1 at file scope */
	int statement;	   /* index of its node, or -1 */
	struct range body; /* positions of the statement it governs */
	/* set by loop */
	unsigned int loop_count;
	struct loop *loops;
	/* set by anywhere: single: any node may run the block */
	bool any_node;
	/* set by task: its number in the single construct whose tasks all nodes run, or 0 */
	unsigned int label;
	/* set by task: single: the number of those */
	unsigned int labels;
	/* set by sharing: automatic variables to register, indices into tree.variables */
	LIST(unsigned int) shared;
	/* Those that are not, but may point to what the region changes. */
	LIST(unsigned int) reaching;
	/* set by writes: a region that writes to the heap through these variables alone */
	bool writes_known;
	LIST(unsigned int) writes;
	/* set by sets: what the loop reads and writes, or NULL */
	struct sets *sets;
	/* set by plans: all nodes can tell the sets of all; they do, before the loop */
	bool describable, planned;
	/*
	 * set by plans: all nodes share it out where sequential code meets it, too; own variables
	 * around the loop whose values it takes, indices into tree.variables
	 */
	bool spread;
	LIST(unsigned int) carried;
	/* set by needless: its region ends directly after it, a loop */
	bool last;
	/* set by pipelines: it is in what these describe as a whole */
	bool in_pipeline;
	/* set by backwards: a loop whose last thread has the first of its iterations */
	bool from_end;
	/* set by untouched: after it nothing shared is touched before one of unit->touches */
	bool untouched;
};

struct directive_list {
	LIST(struct directive) list;
	token_list words; /* the words of all pragmas */
};

/* Reads every pragma of the unit; reports what is wrong or not supported. */
void directives_read(struct unit *unit);
/* Computes the arguments that are constant expressions: once functions are bound to directives. */
void directives_evaluate(struct unit *unit);
void directives_free(struct directive_list *directives);

/* The index of the first one whose pragma begins at OFFSET or after it: they are in order. */
size_t directives_from(const struct directive_list *directives, unsigned int offset);

/* The innermost one in whose block OFFSET is, once blocks are known; the one around it; or NULL. */
const struct directive *directive_around(const struct directive_list *directives,
					 unsigned int offset);
const struct directive *directive_parent(const struct directive_list *directives,
					 const struct directive *directive);

/* The first clause of KIND, or NULL. */
struct clause *directive_clause(const struct directive *directive, enum clause_kind kind);

/* Whether it has a sync point of its own at its end: the region's may follow at once. */
bool directive_waits(const struct directive *directive);

/* Whether it ends with such a one, or is one: a barrier, or work that a team shares out. */
bool directive_ends_with_barrier(const struct directive *directive);

/* Whether the loop's schedule gives each thread one block of iterations. */
bool directive_deals_blocks(const struct directive *directive);

/* Whether each part of the construct is run by one thread. */
bool directive_is_shared_out(const struct directive *directive);

/* Whether it says how its variables are shared. */
bool is_sharing(enum clause_kind kind);
bool is_reduction(enum clause_kind kind); /* reduction, in_reduction, task_reduction */
/* in_reduction, or reduction of a taskloop, whose tasks each have a part. */
bool is_in_reduction(const struct directive *directive, const struct clause *clause);

#endif
