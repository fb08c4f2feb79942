/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * backwards.c - loops that count down, of which each thread may have what it has of others.
 *
 * The first thread has the first iterations.  Where a loop counts down these are the last elements
 * of its arrays, which in a loop that counts up are the last thread's: between two such loops all
 * would go from node to node.  If nothing shows which thread has which iterations, the last thread
 * may as well have the first ones.
 *
 * Between two sync points threads may rely on it that each of them has the same share of several
 * loops.  So there all have to count down; or a loop is alone there.
 */
#include "backwards.h"

#include "check/loop.h"
#include "followed.h"
#include "gap.h"
#include "jumps.h"
#include "pipeline.h"
#include "read/directive_facts.h"
#include "read/unit.h"
#include "replicable.h"

/* Of a function: how many calls of it the text has, and where the last one stands. */
struct called {
	size_t count;
	unsigned int offset;
	bool asked, hidden; /* it was asked whether there may be others, and there may */
};

struct search {
	struct unit *unit;
	struct called *called;		 /* by function */
	const struct directive *region;	 /* that was looked at last: */
	bool alone, shows;		 /* its loops in no pipeline are, or any are */
	const struct pipeline *pipeline; /* that was looked at last: */
	bool has_others;
};

/* -- loops ------------------------------------------------------------------------------------- */

/* Whether each thread has one block of it, the first one that of the highest values. */
static bool counts_down(const struct directive *directive)
{
	return directive_is(directive->kind, IS_LOOP) && directive_deals_blocks(directive) &&
	       directive->loop_count == 1 && !loop_ascends(&directive->loops[0]) &&
	       !directive->device && !directive_clause(directive, CLAUSE_ORDER) &&
	       !directive_clause(directive, CLAUSE_ORDERED);
}

/* The construct that governs PIECE, if it says which thread runs what of it; or NULL. */
static const struct directive *share_at(const struct unit *unit, const struct syntax *piece)
{
	const struct directive *directive = followed_governing(unit, piece);

	return directive && directive_is_shared_out(directive) ? directive : NULL;
}

/* -- where they run ---------------------------------------------------------------------------- */

static void count_calls(struct called *called, const struct syntax *piece)
{
	if (!piece)
		return;
	if (piece->kind == SYNTAX_CALL && piece->function >= 0) {
		called[piece->function].count++;
		called[piece->function].offset = piece->range.from;
	}
	for (unsigned int i = 0; i < piece->count; i++)
		count_calls(called, piece->parts[i]);
}

/* The one call of the function that OFFSET is in, or NULL. */
static const struct called *call_of(const struct search *search, unsigned int offset)
{
	int function = syntax_function_at(&search->unit->syntax, offset);
	struct called *called = function < 0 ? NULL : &search->called[function];

	if (!called || called->count != 1)
		return NULL;
	if (!called->asked)
		called->hidden = !gap_shows_all_calls(search->unit, (size_t)function);
	called->asked = true;
	return called->hidden ? NULL : called;
}

static const struct directive *region_around(const struct unit *unit, unsigned int offset)
{
	const struct directive *around = directive_around(&unit->directives, offset);

	while (around && !directive_is(around->kind, IS_PARALLEL))
		around = directive_parent(&unit->directives, around);
	return around;
}

/* How a region comes to a place, if the text shows one way. */
struct way {
	const struct directive *region;	 /* NULL: it does not */
	const struct pipeline *pipeline; /* on that way, or NULL */
};

static struct way way_to(const struct search *search, unsigned int offset)
{
	struct way way = {region_around(search->unit, offset), pipeline_at(search->unit, offset)};

	for (size_t i = 0; !way.region && i < search->unit->syntax.functions.count; i++) {
		const struct called *called = call_of(search, offset);

		if (!called)
			break;
		offset = called->offset;
		way.region = region_around(search->unit, offset);
		if (!way.pipeline)
			way.pipeline = pipeline_at(search->unit, offset);
	}
	return way;
}

/* -- what they are run with -------------------------------------------------------------------- */

static bool is_other(void *context, const struct syntax *piece)
{
	const struct search *search = context;
	const struct directive *directive = share_at(search->unit, piece);

	return directive && (!counts_down(directive) || !way_to(search, directive->offset).region);
}

/* Whether something else is shared out between the sync points around PIPELINE. */
static bool has_others(struct search *search, const struct pipeline *pipeline)
{
	if (search->pipeline == pipeline)
		return search->has_others;
	search->pipeline = pipeline;
	search->has_others = false;
	for (unsigned int i = 0; i < pipeline->count; i++)
		search->has_others |=
			pipeline->parts[i] &&
			syntax_each(&search->unit->syntax, pipeline->parts[i], is_other, search);
	return search->has_others;
}

/* Whether threads go on after the construct at PIECE while others have not come there. */
static bool is_left_early(void *context, const struct syntax *piece)
{
	const struct search *search = context;
	const struct directive *directive = share_at(search->unit, piece);
	struct way way;

	if (!directive ||
	    (directive->kind != DIRECTIVE_MASTER && !directive_clause(directive, CLAUSE_NOWAIT)))
		return false;
	way = way_to(search, directive->offset);
	return !way.region || !way.pipeline;
}

/* Whether the loops of REGION show their shares; whether those in no pipeline are alone. */
static void look_at_region(struct search *search, const struct directive *region)
{
	const struct syntax *body = syntax_first_from(&search->unit->syntax, region->body.from);

	if (search->region == region)
		return;
	search->region = region;
	search->alone = body && !syntax_each(&search->unit->syntax, body, is_left_early, search);
	search->shows = replicable_shows_shares(search->unit, region);
}

static bool may_begin_at_end(struct search *search, const struct directive *loop)
{
	struct way way = {loop, NULL};

	if (!directive_is(loop->kind, IS_PARALLEL))
		way = way_to(search, loop->offset);
	if (!way.region)
		return false;
	look_at_region(search, way.region);
	return !search->shows && (way.pipeline ? !has_others(search, way.pipeline) : search->alone);
}

static void count_all_calls(struct search *search)
{
	const struct syntax_trees *trees = &search->unit->syntax;

	search->called = memory_new((trees->functions.count + 1) * sizeof(*search->called));
	for (size_t i = 0; i < trees->functions.count; i++)
		count_calls(search->called, trees->functions.items[i].body);
}

void backwards_find(struct unit *unit)
{
	struct search search = {.unit = unit};

	if (unit->tree.errors || unit->synchronisation.any || jumps_hidden_calls(unit))
		return;
	for (size_t i = 0; i < unit->directives.list.count; i++) {
		struct directive *directive = &unit->directives.list.items[i];

		if (!counts_down(directive))
			continue;
		if (!search.called)
			count_all_calls(&search);
		directive->from_end = may_begin_at_end(&search, directive);
	}
	memory_free(search.called);
}
