/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit.h - one C file on its way through the stages.
 *
 *	source     text, tokens, line map                         source.h
 *	directives what each pragma says                          directive.h
 *	           what #pragma cape says                         said.h
 *	           synchronisation that is not OpenMP's           synchronise.h
 *	tree       functions, variables, references (libclang)    tree.h
 *	syntax     functions as trees                             syntax.h
 *	statements the statement of each directive, nesting       bind.h
 *	loops      the loops of the for constructs                loop.h
 *	           data sharing of every variable                 sharing.h, task.h
 *	           which single blocks any node may run           anywhere.h
 *	           through what regions write to the heap         writes.h
 *	           after which regions nothing is touched        untouched.h
 *	           what loops read and write                      sets.h
 *	           what is handed on between two sync points      pipeline.h
 *	           edits of the text                              rewrite.h
 *	           the translated text                            emit.h
 */
#ifndef CAPE_TRANSLATOR_UNIT_H
#define CAPE_TRANSLATOR_UNIT_H

#include "directive.h"
#include "said.h"
#include "source.h"
#include "statement.h"
#include "syntax.h"
#include "tree.h"

/* What the text has of synchronisation that is not OpenMP's. */
struct synchronisation {
	bool any;
	bool objects; /* _Atomic ones */
};

/*
 * A place from where on memory is touched: before the statement at OFFSET, or as a part of the
 * expression there; only READS are read, the inner ones first, unless there are none.
 */
struct touch {
	unsigned int offset;
	bool inside;
	LIST(const struct syntax *) reads;
};

typedef LIST(struct touch) touch_list;

struct pipeline;

struct unit {
	struct source source;
	struct directive_list directives;
	said_list said;
	struct tree tree;
	struct syntax_trees syntax;
	bool tells_sets, tells_plans; /* to the run time: --check-sets; not --no-plan */
	bool spreads;		      /* loops outside of regions: not --no-spread */
	statement_list statements;
	struct synchronisation synchronisation;
	touch_list touches;		   /* where untouched ends after constructs (untouched.h) */
	LIST(struct pipeline *) pipelines; /* (pipeline.h) */
	/* Words of the text: functions that another file may define anew; two names of an object.
	 */
	bool has_weak, has_alias;
	unsigned int errors; /* reported */
};

#endif
