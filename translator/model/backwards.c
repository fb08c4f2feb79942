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

#include <string.h>

#include "check/loop.h"
#include "followed.h"
#include "gap.h"
#include "pipeline.h"
#include "read/directive_facts.h"
#include "read/unit.h"
#include "replicable.h"

/* Of functions: how many calls of it the text has, and where the last one stands. */
struct calls {
	size_t count;
	unsigned int offset;
};

struct search {
	struct unit *unit;
	struct calls *calls;
	const struct directive *region; /* that was looked at last: */
	bool alone, shows;
};

/* -- loops ------------------------------------------------------------------------------------- */

/* Whether each thread has one block of it, the first one that of the highest values. */
static bool counts_down(const struct directive *directive)
{
	const struct clause *schedule = directive_clause(directive, CLAUSE_SCHEDULE);
	bool blocks =
		!schedule || (schedule->call && !strcmp(schedule->call, "cape_schedule_static") &&
			      schedule->argument.to == schedule->argument.from);

	return directive_is(directive->kind, IS_LOOP) && blocks && directive->loop_count == 1 &&
	       !loop_ascends(&directive->loops[0]) && !directive->device &&
	       !directive_clause(directive, CLAUSE_ORDER) &&
	       !directive_clause(directive, CLAUSE_ORDERED);
}

/* The construct that governs PIECE, if it says which thread runs what of it; or NULL. */
static const struct directive *share_at(const struct unit *unit, const struct syntax *piece)
{
	const struct directive *directive = followed_governing(unit, piece);

	return directive && replicable_is_shared_out(directive) ? directive : NULL;
}

/* -- where they run ---------------------------------------------------------------------------- */

static void count_calls(struct calls *calls, const struct syntax *piece)
{
	if (!piece)
		return;
	if (piece->kind == SYNTAX_CALL && piece->function >= 0)
		calls[piece->function] =
			(struct calls){calls[piece->function].count + 1, piece->range.from};
	for (unsigned int i = 0; i < piece->count; i++)
		count_calls(calls, piece->parts[i]);
}

static const struct directive *region_around(const struct unit *unit, unsigned int offset)
{
	const struct directive *around = directive_around(&unit->directives, offset);

	while (around && !directive_is(around->kind, IS_PARALLEL))
		around = directive_parent(&unit->directives, around);
	return around;
}

/*
 * The region that comes to what stands at OFFSET, if the text shows one way to it; or NULL.
 * *PIPELINE: the one on that way, or NULL.
 */
static const struct directive *region_of(const struct search *search, unsigned int offset,
					 const struct pipeline **pipeline)
{
	const struct unit *unit = search->unit;
	const struct directive *region;

	*pipeline = pipeline_at(unit, offset);
	for (size_t i = 0; !(region = region_around(unit, offset)); i++) {
		int function = syntax_function_at(&unit->syntax, offset);

		if (function < 0 || i > unit->syntax.functions.count ||
		    search->calls[function].count != 1 ||
		    !gap_shows_all_calls(unit, (size_t)function))
			return NULL;
		offset = search->calls[function].offset;
		if (!*pipeline)
			*pipeline = pipeline_at(unit, offset);
	}
	return region;
}

/* -- what they are run with -------------------------------------------------------------------- */

static bool is_other(void *context, const struct syntax *piece)
{
	const struct search *search = context;
	const struct directive *directive = share_at(search->unit, piece);
	const struct pipeline *pipeline;

	return directive &&
	       (!counts_down(directive) || !region_of(search, directive->offset, &pipeline));
}

/* Whether something else is shared out between the sync points around PIPELINE. */
static bool has_others(struct search *search, const struct pipeline *pipeline)
{
	for (unsigned int i = 0; i < pipeline->count; i++)
		if (pipeline->parts[i] &&
		    syntax_each(&search->unit->syntax, pipeline->parts[i], is_other, search))
			return true;
	return false;
}

/* Whether threads go on after the construct at PIECE while others have not come there. */
static bool is_left_early(void *context, const struct syntax *piece)
{
	const struct search *search = context;
	const struct directive *directive = share_at(search->unit, piece);
	const struct pipeline *pipeline;

	if (!directive ||
	    (directive->kind != DIRECTIVE_MASTER && !directive_clause(directive, CLAUSE_NOWAIT)))
		return false;
	return !region_of(search, directive->offset, &pipeline) || !pipeline;
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
	const struct pipeline *pipeline = NULL;
	const struct directive *region = directive_is(loop->kind, IS_PARALLEL)
						 ? loop
						 : region_of(search, loop->offset, &pipeline);

	if (!region)
		return false;
	look_at_region(search, region);
	return !search->shows && (pipeline ? !has_others(search, pipeline) : search->alone);
}

void backwards_find(struct unit *unit)
{
	struct syntax_trees *trees = &unit->syntax;
	struct search search = {.unit = unit};

	for (size_t i = 0; !unit->tree.errors && i < unit->directives.list.count; i++) {
		struct directive *directive = &unit->directives.list.items[i];

		if (!counts_down(directive))
			continue;
		if (!search.calls) {
			search.calls =
				memory_new((trees->functions.count + 1) * sizeof(*search.calls));
			for (size_t j = 0; j < trees->functions.count; j++)
				count_calls(search.calls, trees->functions.items[j].body);
		}
		directive->from_end = may_begin_at_end(&search, directive);
	}
	memory_free(search.calls);
}
