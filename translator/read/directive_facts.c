// SPDX-License-Identifier: GPL-2.0-or-later
/* directive_facts.c - the table. */
#include "directive_facts.h"

const struct directive_facts directive_facts[DIRECTIVE_KINDS_COUNT] = {
	[DIRECTIVE_PARALLEL] =
		{
			.name = "parallel",
			.traits = HAS_BODY | IS_PARALLEL | KEEPS_WRITES,
			.clauses = CLAUSES_OF_PARALLEL,
			.construct = "CAPE_PARALLEL",
		},
	[DIRECTIVE_FOR] =
		{
			.name = "for",
			.traits = HAS_BODY | IS_LOOP | IS_WORKSHARING | IS_EXCLUSIVE | KEEPS_WRITES,
			.clauses = CLAUSES_OF_LOOP | CLAUSE_BIT(CLAUSE_NOWAIT),
			.construct = "CAPE_FOR",
		},
	[DIRECTIVE_PARALLEL_FOR] =
		{
			.name = "parallel for",
			.traits = HAS_BODY | IS_PARALLEL | IS_LOOP | IS_WORKSHARING | IS_EXCLUSIVE |
				  KEEPS_WRITES,
			.clauses = CLAUSES_OF_PARALLEL | CLAUSES_OF_LOOP,
			.construct = "CAPE_PARALLEL_FOR",
		},
	[DIRECTIVE_SECTIONS] =
		{
			.name = "sections",
			.traits = HAS_BODY | IS_SECTIONS | IS_WORKSHARING | IS_EXCLUSIVE |
				  HAS_NO_TURNS | KEEPS_WRITES,
			.clauses = CLAUSES_OF_SECTIONS | CLAUSE_BIT(CLAUSE_NOWAIT),
			.construct = "CAPE_SECTIONS",
		},
	[DIRECTIVE_PARALLEL_SECTIONS] =
		{
			.name = "parallel sections",
			.traits = HAS_BODY | IS_PARALLEL | IS_SECTIONS | IS_WORKSHARING |
				  IS_EXCLUSIVE | HAS_NO_TURNS | KEEPS_WRITES,
			.clauses = CLAUSES_OF_PARALLEL | CLAUSES_OF_SECTIONS,
			.construct = "CAPE_PARALLEL_SECTIONS",
		},
	[DIRECTIVE_SECTION] =
		{
			.name = "section",
			.traits = HAS_BODY | IS_WORKSHARING | IS_EXCLUSIVE | HAS_NO_TURNS |
				  KEEPS_WRITES,
		},
	[DIRECTIVE_SINGLE] =
		{
			.name = "single",
			.traits = HAS_BODY | IS_WORKSHARING | IS_EXCLUSIVE | HAS_NO_TURNS |
				  KEEPS_WRITES,
			.clauses = CLAUSES_OF_DATA | CLAUSE_BIT(CLAUSE_COPYPRIVATE) |
				   CLAUSE_BIT(CLAUSE_NOWAIT),
			.construct = "CAPE_SINGLE",
		},
	[DIRECTIVE_SCOPE] =
		{
			.name = "scope",
			.traits = HAS_BODY,
			.clauses = CLAUSES_OF_DATA | CLAUSE_BIT(CLAUSE_REDUCTION) |
				   CLAUSE_BIT(CLAUSE_NOWAIT),
			.construct = "CAPE_FOR", /* a loop of no iterations */
		},
	[DIRECTIVE_MASTER] =
		{
			.name = "master",
			.traits = HAS_BODY | IS_EXCLUSIVE | HAS_NO_TURNS | KEEPS_WRITES,
			.clauses = CLAUSE_BIT(CLAUSE_FILTER),
		},
	[DIRECTIVE_CRITICAL] =
		{
			.name = "critical",
			.traits = HAS_BODY | IS_EXCLUSIVE | HAS_NO_TURNS,
			.clauses = CLAUSE_BIT(CLAUSE_LOCK_HINT),
		},
	[DIRECTIVE_ATOMIC] =
		{
			.name = "atomic",
			.traits = HAS_BODY | IS_EXCLUSIVE,
			.clauses = CLAUSE_BIT(CLAUSE_ACCESS) | CLAUSE_BIT(CLAUSE_MEMORY_ORDER) |
				   CLAUSE_BIT(CLAUSE_LOCK_HINT),
		},
	[DIRECTIVE_ORDERED] =
		{
			.name = "ordered",
			.traits = HAS_BODY | IS_EXCLUSIVE | HAS_NO_TURNS,
			.clauses = CLAUSE_BIT(CLAUSE_ORDERED_HINT),
		},
	[DIRECTIVE_TASK] =
		{
			.name = "task",
			.traits = HAS_BODY | IS_TASK | IS_EXCLUSIVE | HAS_NO_TURNS,
			.clauses = CLAUSES_OF_TASK | CLAUSE_BIT(CLAUSE_DEPEND),
		},
	[DIRECTIVE_TASKLOOP] =
		{
			.name = "taskloop",
			.traits = HAS_BODY | IS_TASK | IS_EXCLUSIVE | HAS_NO_TURNS,
			.clauses = CLAUSES_OF_TASK | CLAUSE_BIT(CLAUSE_LASTPRIVATE) |
				   CLAUSE_BIT(CLAUSE_REDUCTION) | CLAUSE_BIT(CLAUSE_COLLAPSE) |
				   CLAUSE_BIT(CLAUSE_GRAIN) | CLAUSE_BIT(CLAUSE_NOGROUP),
		},
	[DIRECTIVE_TASKGROUP] =
		{
			.name = "taskgroup",
			.traits = HAS_BODY,
			.clauses = CLAUSE_BIT(CLAUSE_TASK_REDUCTION),
		},
	[DIRECTIVE_SIMD] =
		{
			.name = "simd",
			.traits = HAS_BODY | IS_SERIAL | KEEPS_WRITES,
			.clauses = CLAUSES_OF_SIMD,
		},
	[DIRECTIVE_HOST] =
		{
			.name = "target",
			.traits = HAS_BODY | IS_SERIAL,
		},
	[DIRECTIVE_BARRIER] =
		{
			.name = "barrier",
			.traits = KEEPS_WRITES,
		},
	[DIRECTIVE_FLUSH] =
		{
			.name = "flush",
			.clauses = CLAUSE_BIT(CLAUSE_LIST) | CLAUSE_BIT(CLAUSE_MEMORY_ORDER),
		},
	[DIRECTIVE_TASKWAIT] =
		{
			.name = "taskwait",
			.clauses = CLAUSE_BIT(CLAUSE_DEPEND),
		},
	[DIRECTIVE_TASKYIELD] =
		{
			.name = "taskyield",
		},
	[DIRECTIVE_CANCEL] =
		{
			.name = "cancel",
			.clauses = CLAUSE_BIT(CLAUSE_IF),
		},
	[DIRECTIVE_THREADPRIVATE] =
		{
			.name = "threadprivate",
			.traits = IS_DECLARATIVE,
			.clauses = CLAUSE_BIT(CLAUSE_LIST),
		},
	[DIRECTIVE_DECLARE_REDUCTION] =
		{
			.name = "declare reduction",
			.traits = IS_DECLARATIVE,
		},
	[DIRECTIVE_ERROR] =
		{
			.name = "error",
			.traits = IS_DECLARATIVE,
		},
	[DIRECTIVE_IGNORED] =
		{
			.name = "nothing",
			.traits = IS_DECLARATIVE | KEEPS_WRITES,
		},
};
