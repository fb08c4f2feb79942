/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * directive_facts.h - the facts of each directive, in one table: what stages ask of a directive
 * they find here, not in the order of an enum or in a switch of their own.
 */
#ifndef CAPE_TRANSLATOR_DIRECTIVE_FACTS_H
#define CAPE_TRANSLATOR_DIRECTIVE_FACTS_H

#include "directive.h"

#define CLAUSE_BIT(kind) (1UL << (kind))
#define CLAUSES_OF_DATA	 (CLAUSE_BIT(CLAUSE_PRIVATE) | CLAUSE_BIT(CLAUSE_FIRSTPRIVATE))
#define CLAUSES_OF_PARALLEL                                                                        \
	(CLAUSES_OF_DATA | CLAUSE_BIT(CLAUSE_IF) | CLAUSE_BIT(CLAUSE_NUM_THREADS) |                \
	 CLAUSE_BIT(CLAUSE_DEFAULT) | CLAUSE_BIT(CLAUSE_SHARED) | CLAUSE_BIT(CLAUSE_COPYIN) |      \
	 CLAUSE_BIT(CLAUSE_REDUCTION) | CLAUSE_BIT(CLAUSE_PROC_BIND))
#define CLAUSES_OF_LOOP                                                                            \
	(CLAUSES_OF_DATA | CLAUSE_BIT(CLAUSE_LASTPRIVATE) | CLAUSE_BIT(CLAUSE_REDUCTION) |         \
	 CLAUSE_BIT(CLAUSE_SCHEDULE) | CLAUSE_BIT(CLAUSE_COLLAPSE) | CLAUSE_BIT(CLAUSE_ORDERED) |  \
	 CLAUSE_BIT(CLAUSE_LINEAR) | CLAUSE_BIT(CLAUSE_ORDER) | CLAUSE_BIT(CLAUSE_BIND))
#define CLAUSES_OF_SECTIONS                                                                        \
	(CLAUSES_OF_DATA | CLAUSE_BIT(CLAUSE_LASTPRIVATE) | CLAUSE_BIT(CLAUSE_REDUCTION))
#define CLAUSES_OF_SIMD                                                                            \
	(CLAUSE_BIT(CLAUSE_PRIVATE) | CLAUSE_BIT(CLAUSE_LASTPRIVATE) |                             \
	 CLAUSE_BIT(CLAUSE_REDUCTION) | CLAUSE_BIT(CLAUSE_COLLAPSE) | CLAUSE_BIT(CLAUSE_LINEAR) |  \
	 CLAUSE_BIT(CLAUSE_IF) | CLAUSE_BIT(CLAUSE_SIMD_HINT) | CLAUSE_BIT(CLAUSE_ORDER))
#define CLAUSES_OF_TASK                                                                            \
	(CLAUSES_OF_DATA | CLAUSE_BIT(CLAUSE_IF) | CLAUSE_BIT(CLAUSE_FINAL) |                      \
	 CLAUSE_BIT(CLAUSE_PRIORITY) | CLAUSE_BIT(CLAUSE_DEFAULT) | CLAUSE_BIT(CLAUSE_SHARED) |    \
	 CLAUSE_BIT(CLAUSE_IN_REDUCTION) | CLAUSE_BIT(CLAUSE_TASK_HINT))
#define CLAUSES_OF_DEVICE                                                                          \
	(CLAUSES_OF_DATA | CLAUSE_BIT(CLAUSE_IF) | CLAUSE_BIT(CLAUSE_DEFAULT) |                    \
	 CLAUSE_BIT(CLAUSE_SHARED) | CLAUSE_BIT(CLAUSE_REDUCTION) |                                \
	 CLAUSE_BIT(CLAUSE_IN_REDUCTION) | CLAUSE_BIT(CLAUSE_NOWAIT) | CLAUSE_BIT(CLAUSE_DEPEND) | \
	 CLAUSE_BIT(CLAUSE_MAP) | CLAUSE_BIT(CLAUSE_NUM_TEAMS) | CLAUSE_BIT(CLAUSE_THREAD_LIMIT) | \
	 CLAUSE_BIT(CLAUSE_DEVICE_HINT))

enum directive_trait {
	HAS_BODY = 1,
	IS_DECLARATIVE = 2, /* can stand outside of functions */
	IS_PARALLEL = 4,    /* begins a parallel region */
	IS_LOOP = 8,	    /* of a team: for, parallel for */
	IS_SECTIONS = 16,
	IS_WORKSHARING = 32, /* every thread of the team has its share, or one has all */
	IS_TASK = 64,
	IS_SERIAL = 128,    /* one thread runs the block as it stands */
	IS_EXCLUSIVE = 256, /* not every thread of the team runs it, or not at the same time */
	HAS_NO_TURNS = 512, /* of an ordered construct in it the turn might never come */
	KEEPS_WRITES = 1024 /* publishes nothing before its region ends */
};

struct directive_facts {
	const char *name; /* as users write it */
	unsigned int traits;
	unsigned long clauses; /* CLAUSE_BIT() of the kinds that may stand on it */
	const char *construct; /* the enum cape_directive that it begins, or NULL */
};

extern const struct directive_facts directive_facts[DIRECTIVE_KINDS_COUNT];

static inline bool directive_is(enum directive_kind kind, enum directive_trait trait)
{
	return directive_facts[kind].traits & trait;
}

#endif
