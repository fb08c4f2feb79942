/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline.c - what threads do between two sync points, and hand on to each other by flushes or
 * locks.
 *
 * All that every thread reads and writes there must be known: what a node does not publish
 * meanwhile nobody else may read.  So a stretch begins after a sync point, or with the region, and
 * ends with the next one, with no other construct in it but those that followed.c knows; and what
 * it calls, and the parts of loops that are shared out in it, are gone through.  It may be in a
 * function that regions call, if it has such a loop.
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

/* Where what a thread has written is published. */
static bool is_handed_on(void *context, const struct syntax *piece)
{
	const struct directive *directive = followed_governing(context, piece);

	return has_flush(context, piece) || (directive && (directive->kind == DIRECTIVE_CRITICAL ||
							   directive->kind == DIRECTIVE_ATOMIC));
}

static bool has_barrier(void *context, const struct syntax *piece)
{
	return piece->kind == SYNTAX_BLOCK &&
	       has_directive(context, DIRECTIVE_BARRIER, piece->range.from, piece->range.to);
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

/* -- one stretch ------------------------------------------------------------------------------- */

/* Parts of a block between two sync points, beside which nothing concerns other threads. */
struct place_in_block {
	struct unit *unit;
	const struct directive *region; /* NULL: the text does not show it */
	const struct syntax *outer;	/* the block of the region, or of the function */
	const struct syntax *block;	/* that one, or of a loop in it */
	unsigned int index;		/* of the first */
	unsigned int last;
};

/* What governs part INDEX, or NULL. */
static const struct directive *construct_at(const struct place_in_block *place, unsigned int index)
{
	const struct syntax *piece = place->block->parts[index];

	return piece ? followed_governing(place->unit, piece) : NULL;
}

/*
 * Whether a stretch goes on with what DIRECTIVE governs.  A function's loops have nothing of their
 * own but what is automatic: elsewhere in it the same name would mean another variable.
 */
static bool goes_on(const struct place_in_block *place, const struct directive *directive)
{
	const struct variable *variables = place->unit->tree.variables.items;

	if (!followed_is(directive) || ends_with_sync_point(directive))
		return false;
	for (unsigned int i = 0; i < directive->loop_count && !place->region; i++)
		if (!variables[directive->loops[i].variable].automatic)
			return false;
	for (size_t i = 0; i < directive->clauses.count && !place->region; i++)
		for (size_t j = 0; j < directive->clauses.items[i].items.count; j++)
			if (!variables[directive->clauses.items[i].items.items[j].variable]
				     .automatic)
				return false;
	return true;
}

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
	const struct range before = {place->block->range.from, walk->place};
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

static struct syntax *body_of(const struct syntax *piece)
{
	struct syntax *body = piece->kind == SYNTAX_FOR ? piece->parts[3] : NULL;

	return body && body->kind == SYNTAX_BLOCK ? body : NULL;
}

/* Whether the text of PIECE ends with a brace. */
static bool has_braces(const struct unit *unit, const struct syntax *piece)
{
	return body_of(piece) ||
	       (piece->kind == SYNTAX_BLOCK && unit->source.text.data[piece->range.from] == '{');
}

/* Where rounds of the loop can be counted: its iterator is the one that was new, in braces. */
static void find_rounds(struct pipeline *pipeline, const struct source *source,
			const struct syntax *loop, unsigned int iterator)
{
	const struct sets *sets = &pipeline->sets;
	const struct syntax *body = body_of(loop);
	bool is_loop = false;

	for (size_t i = 0; i < sets->all->parts.count; i++)
		is_loop |= sets->all->parts.items[i]->kind == PART_LOOP &&
			   sets->all->parts.items[i]->iterator == iterator;
	if (!body || !is_loop)
		return;
	pipeline->round =
		source->tokens.items[source_token_at(source, body->range.from) + 1].offset;
	pipeline->loop = iterator + 1;
}

/* All of the parts; *LOOP: the first that has flushes, if any, and the ITERATOR that it may have.
 */
static void walk_parts(struct walk *walk, const struct place_in_block *place,
		       const struct syntax **loop, unsigned int *iterator)
{
	for (unsigned int i = place->index; i <= place->last; i++) {
		struct syntax *piece = place->block->parts[i];

		if (!piece)
			continue;
		if (!*loop && syntax_each(&place->unit->syntax, piece, has_flush, place->unit)) {
			*loop = piece;
			*iterator = (unsigned int)walk->sets->iterators.count;
		}
		statement_walk(walk, piece);
	}
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

/* With the pragma of the first part, if it has one. */
static struct range range_of(const struct place_in_block *place)
{
	const struct directive *directive = construct_at(place, place->index);

	return (struct range){directive ? directive->offset
					: place->block->parts[place->index]->range.from,
			      place->block->parts[place->last]->range.to};
}

/* Calls VISIT for all in the parts, as syntax_each(). */
static bool each_piece(const struct place_in_block *place, syntax_visit *visit)
{
	bool any = false;

	for (unsigned int i = place->index; i <= place->last && !any; i++)
		any = place->block->parts[i] &&
		      syntax_each(&place->unit->syntax, place->block->parts[i], visit, place->unit);
	return any;
}

/* What a construct in it does is not described by itself. */
static bool mark(void *context, const struct syntax *piece)
{
	struct unit *unit = context;
	const struct directive *directive = followed_governing(unit, piece);

	if (directive)
		unit->directives.list.items[directive - unit->directives.list.items].in_pipeline =
			true;
	return false;
}

/* What the sets stand on: the region, or in a function the first loop that is shared out. */
static const struct directive *directive_of(const struct place_in_block *place)
{
	unsigned int i = place->index;

	if (place->region)
		return place->region;
	while (!construct_at(place, i) || construct_at(place, i)->kind != DIRECTIVE_FOR)
		i++;
	return construct_at(place, i);
}

/* Whether all of that can be described; then it is. */
static bool find(const struct place_in_block *place)
{
	struct unit *unit = place->unit;
	struct range range = range_of(place);
	struct pipeline *pipeline = memory_new(sizeof *pipeline);
	struct walk walk = {.unit = unit,
			    .directive = directive_of(place),
			    .in_pipeline = true,
			    .block = place->outer->range,
			    .place = range.from,
			    .sets = &pipeline->sets};
	const struct syntax *loop = NULL;
	unsigned int iterator = 0;

	pipeline->range = range;
	pipeline->parts = &place->block->parts[place->index];
	pipeline->count = place->last - place->index + 1;
	pipeline->offset = place->block->parts[place->index]->range.from;
	pipeline->directive = walk.directive;
	pipeline->sets.directive = (unsigned int)(walk.directive - unit->directives.list.items);
	pipeline->sets.all = walk_enter(&walk, PART_BLOCK);
	walk_find_exposed(&walk, place->outer);
	declare_numbers(&walk);
	walk_look_at_directives(&walk, range, 0);
	walk_before(&walk, place);
	walk_parts(&walk, place, &loop, &iterator);
	sets_look_at_names(&walk, range);
	described_find(&walk, place->block->parts[place->index]);
	if (loop)
		find_rounds(pipeline, &unit->source, loop, iterator);
	if (has_braces(unit, place->block->parts[place->last]))
		pipeline->end = range.to;
	list_free(&walk.scope);
	list_free(&walk.exposed);
	list_free(&walk.functions);
	if (!is_known(&pipeline->sets)) {
		free_one(pipeline);
		return false;
	}
	join_elements(unit, &pipeline->sets);
	each_piece(place, mark);
	*list_add(&unit->pipelines) = pipeline;
	return true;
}

/* -- all --------------------------------------------------------------------------------------- */

static const struct syntax *block_of(const struct unit *unit, const struct directive *region)
{
	const struct syntax *body = syntax_first_from(&unit->syntax, region->body.from);

	return body && body->kind == SYNTAX_BLOCK ? body : NULL;
}

/* Whether a sync point, or what is another matter, comes before part INDEX, or with it. */
static bool ends_stretch(const struct place_in_block *place, unsigned int index)
{
	const struct directive *directive = construct_at(place, index);

	return place->block->parts[index] &&
	       (has_barrier_before(place, index) || (directive && !goes_on(place, directive)));
}

/* The parts from *INDEX on, up to the next sync point if nothing else comes before; *INDEX follows
 * them.  False: nothing of them concerns others. */
static bool find_stretch(struct place_in_block *place, unsigned int *index)
{
	bool any = false;

	for (unsigned int first = *index; *index < place->block->count; ++*index) {
		const struct syntax *piece = place->block->parts[*index];

		if (*index > first && ends_stretch(place, *index))
			break;
		if (!piece || is_harmless(place, piece))
			continue;
		if (!any)
			place->index = *index;
		place->last = *index;
		any = true;
	}
	return any;
}

static bool is_all_of_region(const struct place_in_block *place)
{
	return place->region && place->block == place->outer;
}

/* Whether a sync point is where the stretch before part INDEX ends. */
static bool ends_at(const struct place_in_block *place, unsigned int index)
{
	return (index == place->block->count && is_all_of_region(place)) ||
	       has_barrier_before(place, index);
}

/* Whether a stretch is one that is described as a whole; else its loops are, by themselves. */
static bool is_worth_it(const struct place_in_block *place)
{
	bool constructs = false, loops = false;

	for (unsigned int i = place->index; i <= place->last; i++) {
		const struct directive *directive = construct_at(place, i);

		constructs |= directive != NULL;
		loops |= directive && directive->kind == DIRECTIVE_FOR;
	}
	if (!constructs && is_all_of_region(place))
		return true;
	return (loops || (!constructs && place->region)) && each_piece(place, is_handed_on);
}

static void find_in_block(const struct place_in_block *place);

/* In the bodies of loops among the parts of PLACE. */
static void find_inside(const struct place_in_block *place)
{
	for (unsigned int i = place->index; i <= place->last; i++) {
		const struct syntax *piece = place->block->parts[i];
		struct place_in_block inside = *place;

		if (!piece || (piece->kind != SYNTAX_FOR && piece->kind != SYNTAX_LOOP) ||
		    construct_at(place, i))
			continue;
		inside.block = piece->parts[piece->kind == SYNTAX_FOR ? 3 : 1];
		if (inside.block && inside.block->kind == SYNTAX_BLOCK)
			find_in_block(&inside);
	}
}

/* In the block of WHERE. */
static void find_in_block(const struct place_in_block *where)
{
	struct place_in_block place = *where;
	const struct syntax *block = place.block;
	bool settled = is_all_of_region(where); /* nothing has come since the last sync point */

	for (unsigned int i = 0; i < block->count;) {
		const struct directive *directive = construct_at(&place, i);
		bool any;

		settled |= block->parts[i] && has_barrier_before(&place, i);
		if (directive && !goes_on(&place, directive)) {
			settled = ends_with_sync_point(directive);
			i++;
			continue;
		}
		any = find_stretch(&place, &i);
		/* After a barrier inside all would be taken to be written. */
		if (any && (!settled || !ends_at(&place, i) || !is_worth_it(&place) ||
			    each_piece(&place, has_barrier) || !find(&place)))
			find_inside(&place);
		settled &= !any;
	}
}

static void find_in(struct unit *unit, const struct directive *region, const struct syntax *block)
{
	if (block)
		find_in_block(&(struct place_in_block){
			.unit = unit, .region = region, .outer = block, .block = block});
}

void pipelines_find(struct unit *unit)
{
	if (unit->tree.errors || unit->synchronisation.any)
		return;
	for (size_t i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = &unit->directives.list.items[i];

		if (directive->kind == DIRECTIVE_PARALLEL)
			find_in(unit, directive, block_of(unit, directive));
	}
	for (size_t i = 0; i < unit->syntax.functions.count; i++)
		find_in(unit, NULL, unit->syntax.functions.items[i].body);
}

const struct pipeline *pipeline_at(const struct unit *unit, unsigned int offset)
{
	for (size_t i = 0; i < unit->pipelines.count; i++) {
		const struct pipeline *pipeline = unit->pipelines.items[i];

		if (offset >= pipeline->range.from && offset < pipeline->range.to)
			return pipeline;
	}
	return NULL;
}

void pipelines_free(struct unit *unit)
{
	for (size_t i = 0; i < unit->pipelines.count; i++)
		free_one(unit->pipelines.items[i]);
	list_free(&unit->pipelines);
}
