/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline.c - loops in which threads hand data on to each other by flushes.
 *
 * All that every thread reads between the two sync points around such a loop must be known: what a
 * node does not publish meanwhile nobody else may read.  So the loop follows a sync point, with
 * nothing but the thread's own variables in between, and so does the next sync point follow the
 * loop; and what it calls, and the parts of loops that are shared out in it, are gone through.
 */
#include "pipeline.h"

#include <string.h>

#include "described.h"
#include "followed.h"
#include "join.h"
#include "passage.h"
#include "read/directive_facts.h"
#include "read/unit.h"
#include "scope.h"
#include "statement.h"

/* -- directives ------------------------------------------------------------------------------- */

/* Whether a directive of KIND stands from FROM on before TO. */
static bool has_directive(const struct unit *unit, enum directive_kind kind, unsigned int from,
			  unsigned int to)
{
	for (size_t i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = &unit->directives.list.items[i];

		if (directive->kind == kind && directive->offset >= from && directive->offset < to)
			return true;
	}
	return false;
}

static bool has_flush(void *context, const struct syntax *piece)
{
	return piece->kind == SYNTAX_BLOCK &&
	       has_directive(context, DIRECTIVE_FLUSH, piece->range.from, piece->range.to);
}

/* Whether a sync point is where the construct ends. */
static bool ends_with_sync_point(const struct directive *directive)
{
	return (directive->kind == DIRECTIVE_FOR || directive->kind == DIRECTIVE_SECTIONS ||
		directive->kind == DIRECTIVE_SINGLE) &&
	       !directive_clause(directive, CLAUSE_NOWAIT);
}

/* The first iterators: they have their values where the sets are described. */
static void declare_numbers(struct walk *walk)
{
	static const char *const names[FOLLOWED_NUMBERS] = {"cape_thread", "omp_get_num_threads()"};

	for (int i = 0; i < FOLLOWED_NUMBERS; i++) {
		struct iterator *iterator = list_add(&walk->sets->iterators);

		*iterator =
			(struct iterator){.kind = ITERATOR_FIXED, .name = names[i], .type = "int"};
	}
}

/* -- one loop ---------------------------------------------------------------------------------- */

struct place_in_block {
	struct unit *unit;
	const struct directive *region;
	const struct syntax *block;
	unsigned int index; /* of the loop */
};

static bool is_harmless(const struct place_in_block *place, const struct syntax *piece)
{
	struct passing passing;

	if (followed_governing(place->unit, piece))
		return false;
	passage_start(&passing, place->unit, place->region, NULL);
	return passage_end(&passing, (piece->kind == SYNTAX_DECLARATION ||
				      piece->kind < SYNTAX_BLOCK || piece->kind == SYNTAX_BLOCK) &&
					     passage_of(&passing, piece, piece->range.from,
							piece->range.from) == PASSAGE_GOES_ON);
}

static unsigned int end_of_part(const struct syntax *block, unsigned int index)
{
	while (index-- > 0)
		if (block->parts[index])
			return block->parts[index]->range.to;
	return block->range.from;
}

static bool has_barrier_before(const struct place_in_block *place, unsigned int index)
{
	const struct syntax *block = place->block;
	unsigned int to = index < block->count ? block->parts[index]->range.from : block->range.to;

	return has_directive(place->unit, DIRECTIVE_BARRIER, end_of_part(block, index), to);
}

/* Whether nothing comes before the next sync point after the loop. */
static bool comes_to_sync_point(const struct place_in_block *place)
{
	const struct syntax *block = place->block;

	for (unsigned int i = place->index + 1; i < block->count; i++) {
		if (!block->parts[i])
			continue;
		if (has_barrier_before(place, i))
			return true;
		if (!is_harmless(place, block->parts[i]))
			return false;
	}
	return true;
}

static bool is_changeable(void *context, const struct syntax *piece)
{
	const struct place_in_block *place = context;

	if (piece->kind == SYNTAX_ELEMENT || piece->kind == SYNTAX_MEMBER)
		return true;
	return piece->kind == SYNTAX_VARIABLE &&
	       (!piece->automatic ||
		(piece->declaration < place->block->range.from &&
		 scope_changes(&place->unit->syntax, place->block, piece->declaration)));
}

/* Whether PIECE gives the thread's own variables values that nothing before the loop can change. */
static bool lasts(const struct place_in_block *place, const struct syntax *piece)
{
	struct place_in_block copy = *place;

	return is_harmless(place, piece) &&
	       !syntax_each(&place->unit->syntax, piece, is_changeable, &copy);
}

static bool has_construct_before(const struct place_in_block *place)
{
	for (unsigned int i = 0; i < place->index; i++)
		if (place->block->parts[i] &&
		    followed_governing(place->unit, place->block->parts[i]))
			return true;
	return false;
}

/* What the threads' own variables hold before the loop: memory may have changed since. */
static void walk_before(struct walk *walk, const struct place_in_block *place)
{
	const struct range before = {place->region->body.from, walk->place};
	bool constructs = has_construct_before(place);

	if (!constructs)
		walk_look_at_directives(walk, before, walk->sets->directive + 1);
	for (unsigned int i = 0; i < place->index; i++) {
		struct syntax *piece = place->block->parts[i];

		if (piece && (!constructs || lasts(place, piece)))
			statement_walk(walk, piece);
		else if (piece)
			scope_forget(&walk->scope, &place->unit->syntax, piece);
	}
}

/* Where rounds of the loop can be counted: its iterator is the one that was new, in braces. */
static void find_rounds(struct pipeline *pipeline, const struct source *source,
			const struct syntax *loop, unsigned int iterator)
{
	const struct sets *sets = &pipeline->sets;
	const struct syntax *body = loop->parts[3];
	bool is_loop = false;

	for (size_t i = 0; i < sets->all->parts.count; i++)
		is_loop |= sets->all->parts.items[i]->kind == PART_LOOP &&
			   sets->all->parts.items[i]->iterator == iterator;
	if (!body || body->kind != SYNTAX_BLOCK)
		return;
	pipeline->end = loop->range.to;
	if (!is_loop)
		return;
	pipeline->round =
		source->tokens.items[source_token_at(source, body->range.from) + 1].offset;
	pipeline->loop = iterator + 1;
}

/* Whether every thread can describe all of that for all. */
static bool is_known(const struct sets *sets)
{
	if (sets->unknown.count || !sets->writes_described)
		return false;
	for (size_t i = 0; i < sets->somewhere.count; i++)
		if (!sets->somewhere.items[i])
			return false;
	return true;
}

static void free_one(struct pipeline *pipeline)
{
	sets_clear(&pipeline->sets);
	memory_free(pipeline);
}

static void find(const struct place_in_block *place)
{
	struct unit *unit = place->unit;
	struct syntax *loop = place->block->parts[place->index];
	struct pipeline *pipeline = memory_new(sizeof *pipeline);
	struct walk walk = {.unit = unit,
			    .directive = place->region,
			    .in_pipeline = true,
			    .place = loop->range.from,
			    .sets = &pipeline->sets};
	unsigned int iterator;

	pipeline->offset = loop->range.from;
	pipeline->region = place->region;
	pipeline->sets.directive = (unsigned int)(place->region - unit->directives.list.items);
	pipeline->sets.all = walk_enter(&walk, PART_BLOCK);
	walk_find_exposed(&walk, place->block);
	declare_numbers(&walk);
	walk_look_at_directives(&walk, loop->range, pipeline->sets.directive + 1);
	walk_before(&walk, place);
	iterator = (unsigned int)pipeline->sets.iterators.count;
	statement_walk(&walk, loop);
	sets_look_at_names(&walk, loop->range);
	described_find(&walk, loop);
	find_rounds(pipeline, &unit->source, loop, iterator);
	list_free(&walk.scope);
	list_free(&walk.exposed);
	list_free(&walk.functions);
	if (is_known(&pipeline->sets)) {
		join_elements(unit, &pipeline->sets);
		*list_add(&unit->pipelines) = pipeline;
	} else {
		free_one(pipeline);
	}
}

/* -- all --------------------------------------------------------------------------------------- */

static const struct syntax *block_of(const struct unit *unit, const struct directive *region)
{
	struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth = syntax_path(&unit->syntax, region->body.from, path, SYNTAX_DEPTH);

	for (unsigned int i = 0; i < depth; i++)
		if (path[i]->kind == SYNTAX_BLOCK && path[i]->range.from == region->body.from)
			return path[i];
	return NULL;
}

static void find_in_region(struct unit *unit, const struct directive *region)
{
	const struct syntax *block = block_of(unit, region);
	bool settled = true; /* nothing has come since the last sync point */

	for (unsigned int i = 0; block && i < block->count; i++) {
		const struct syntax *piece = block->parts[i];
		struct place_in_block place = {unit, region, block, i};
		const struct directive *directive;

		if (!piece)
			continue;
		directive = followed_governing(unit, piece);
		settled |= has_barrier_before(&place, i);
		if (settled && !directive && piece->kind == SYNTAX_FOR &&
		    syntax_each(&unit->syntax, piece, has_flush, unit) &&
		    comes_to_sync_point(&place))
			find(&place);
		settled = directive ? ends_with_sync_point(directive)
				    : settled && is_harmless(&place, piece);
	}
}

void pipelines_find(struct unit *unit)
{
	if (unit->tree.errors || unit->synchronisation.any)
		return;
	for (size_t i = 0; i < unit->directives.list.count; i++)
		if (unit->directives.list.items[i].kind == DIRECTIVE_PARALLEL)
			find_in_region(unit, &unit->directives.list.items[i]);
}

void pipelines_free(struct unit *unit)
{
	for (size_t i = 0; i < unit->pipelines.count; i++)
		free_one(unit->pipelines.items[i]);
	list_free(&unit->pipelines);
}
