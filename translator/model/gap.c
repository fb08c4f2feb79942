/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gap.c - what a region does between two loops that are known: nothing, or a loop around them that
 * counts with variables on the stack, which every node has.
 */
#include "gap.h"

#include "check/sharing.h"
#include "read/directive_facts.h"
#include "read/unit.h"

struct gap {
	const struct unit *unit;
	gap_is_known *is_known;
	const struct directive *region;
	/* Pieces around the loop, the region's block first, the loop last. */
	const struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth;
};

static bool begins(const struct gap *gap, const struct syntax *piece, unsigned int from, bool last);

/* -- expressions ------------------------------------------------------------------------------- */

static bool is_own(const struct gap *gap, const struct syntax *variable)
{
	unsigned int index = tree_variable_at(&gap->unit->tree, variable->declaration);
	int region = (int)(gap->region - gap->unit->directives.list.items);

	return variable->automatic &&
	       (index == NO_VARIABLE || !sharing_is_shared_at(gap->unit, region, index) ||
		variable->declaration > gap->region->offset);
}

static bool is_harmless(const struct gap *gap, const struct syntax *piece)
{
	if (!piece)
		return true;
	switch (piece->kind) {
	case SYNTAX_NUMBER:
		return true;
	case SYNTAX_VARIABLE:
		return piece->automatic && !piece->type.is_volatile;
	case SYNTAX_ASSIGN:
	case SYNTAX_STEP:
		if (piece->parts[0]->kind != SYNTAX_VARIABLE || !is_own(gap, piece->parts[0]))
			return false;
		break;
	case SYNTAX_UNARY:
	case SYNTAX_BINARY:
	case SYNTAX_CHOICE:
	case SYNTAX_CAST:
	case SYNTAX_DECLARATION:
	case SYNTAX_BLOCK: /* of declarations */
		break;
	default:
		return false;
	}
	for (unsigned int i = 0; i < piece->count; i++)
		if (!is_harmless(gap, piece->parts[i]))
			return false;
	return true;
}

static bool is_harmless_declaration(const struct gap *gap, const struct syntax *piece)
{
	if (piece->kind == SYNTAX_BLOCK) {
		for (unsigned int i = 0; i < piece->count; i++)
			if (!is_harmless_declaration(gap, piece->parts[i]))
				return false;
		return true;
	}
	return piece->kind == SYNTAX_NOTHING ||
	       (piece->kind == SYNTAX_DECLARATION && is_harmless(gap, piece));
}

/* -- statements -------------------------------------------------------------------------------- */

/* The directive whose pragma stands between FROM and TO; *COUNT of them there are. */
static const struct directive *directive_in(const struct gap *gap, unsigned int from,
					    unsigned int to, unsigned int *count)
{
	const struct directive_list *directives = &gap->unit->directives;
	const struct directive *found = NULL;

	*count = 0;
	for (size_t i = 0; i < directives->list.count; i++)
		if (directives->list.items[i].offset >= from &&
		    directives->list.items[i].offset < to) {
			found = &directives->list.items[i];
			++*count;
		}
	return found;
}

/* Whether the block comes to a known loop first. */
static bool block_begins(const struct gap *gap, const struct syntax *block, bool last)
{
	unsigned int from = block->range.from, count;

	for (unsigned int i = 0; i < block->count; i++) {
		const struct syntax *piece = block->parts[i];

		directive_in(gap, from, piece->range.from, &count);
		if (count || !is_harmless_declaration(gap, piece))
			return begins(gap, piece, from, last && i + 1 == block->count);
		from = piece->range.to;
	}
	return false;
}

/*
 * Whether PIECE, before which pragmas may stand from FROM on, is a known loop, or comes to one
 * first.  LAST: after it nothing comes any more.
 */
static bool begins(const struct gap *gap, const struct syntax *piece, unsigned int from, bool last)
{
	unsigned int count;
	const struct directive *directive = directive_in(gap, from, piece->range.from, &count);

	if (count)
		return count == 1 && directive->kind == DIRECTIVE_FOR && gap->is_known(directive) &&
		       directive->body.from == piece->range.from;
	if (piece->kind == SYNTAX_BLOCK)
		return block_begins(gap, piece, last);
	return piece->kind == SYNTAX_FOR && last && is_harmless(gap, piece->parts[0]) &&
	       is_harmless(gap, piece->parts[1]) && is_harmless(gap, piece->parts[2]) &&
	       piece->parts[3] && begins(gap, piece->parts[3], piece->range.from, true);
}

static bool is_quiet(const struct gap *gap, unsigned int depth);

/* After the piece at DEPTH of the path, which is in a block. */
static bool block_goes_on(const struct gap *gap, const struct syntax *block, unsigned int depth)
{
	unsigned int i = 0, count;

	while (block->parts[i] != gap->path[depth])
		i++;
	if (i + 1 < block->count)
		return begins(gap, block->parts[i + 1], block->parts[i]->range.to, false);
	directive_in(gap, block->parts[i]->range.to, block->range.to, &count);
	return !count && is_quiet(gap, depth - 1);
}

static bool is_quiet(const struct gap *gap, unsigned int depth)
{
	const struct syntax *around;

	if (!depth)
		return true;
	around = gap->path[depth - 1];
	if (around->kind == SYNTAX_BLOCK)
		return block_goes_on(gap, around, depth);
	return around->kind == SYNTAX_FOR && around->parts[3] == gap->path[depth] &&
	       is_harmless(gap, around->parts[1]) && is_harmless(gap, around->parts[2]) &&
	       begins(gap, around->parts[3], around->range.from, false) && is_quiet(gap, depth - 1);
}

/* Notes what is around the loop at OFFSET in the region; false: there is none. */
static bool find_path(struct gap *gap, unsigned int offset)
{
	struct syntax *path[SYNTAX_DEPTH];
	unsigned int depth = syntax_path(&gap->unit->syntax, offset, path, SYNTAX_DEPTH);

	for (unsigned int i = 0; i < depth && gap->depth < SYNTAX_DEPTH; i++)
		if (path[i]->range.from >= gap->region->body.from)
			gap->path[gap->depth++] = path[i];
	return gap->depth && gap->path[gap->depth - 1]->kind == SYNTAX_FOR;
}

bool gap_is_quiet_after(const struct unit *unit, const struct directive *directive,
			gap_is_known *is_known)
{
	struct gap gap = {.unit = unit, .is_known = is_known};

	if (directive_is(directive->kind, IS_PARALLEL))
		return true;
	if (directive->parent < 0)
		return false;
	gap.region = &unit->directives.list.items[directive->parent];
	return gap.region->kind == DIRECTIVE_PARALLEL && find_path(&gap, directive->body.from) &&
	       is_quiet(&gap, gap.depth - 1);
}

bool gap_is_quiet_before(const struct unit *unit, const struct directive *directive,
			 gap_is_known *is_known)
{
	struct gap gap = {.unit = unit, .is_known = is_known, .region = directive};

	if (directive->kind != DIRECTIVE_PARALLEL)
		return directive_is(directive->kind, IS_LOOP) && is_known(directive);
	find_path(&gap, directive->body.from);
	return gap.depth && begins(&gap, gap.path[0], directive->body.from, true);
}
