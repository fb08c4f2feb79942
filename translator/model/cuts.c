/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cuts.c - conditions on the values of loops, in the form of ends of these loops. */
#include "cuts.h"

#include <string.h>

#include "read/unit.h"
#include "even.h"
#include "value.h"

#define MANY	   17 /* ways that lead to one access are too many */
#define DEPTH_MOST 12 /* cuts in each other, */
#define CUTS_MOST  96 /* and in one loop: each is some lines of C, which gcc compiles */

typedef LIST(struct part_of_set *) part_list;

struct cutter {
	struct unit *unit;
	struct sets *sets;
	unsigned int left; /* cuts that may still be made */
};

/* What is to be under conditions, which are made like one that was there. */
struct under {
	const struct part_of_set *like;
	part_list parts;
};

/* -- forms of conditions ----------------------------------------------------------------------- */

static bool is_word(const struct syntax *condition, const char *word)
{
	return condition->kind == SYNTAX_BINARY && !strcmp(condition->word, word);
}

static bool is_not(const struct syntax *condition)
{
	return condition->kind == SYNTAX_UNARY && *condition->word == '!';
}

static bool is_logic(const struct syntax *condition)
{
	return is_word(condition, "&&") || is_word(condition, "||");
}

static bool is_equality(const struct syntax *condition)
{
	return is_word(condition, "==") || is_word(condition, "!=");
}

/* CONDITION with another operator. */
static struct syntax *with_word(const struct cutter *cutter, const struct syntax *condition,
				const char *word)
{
	struct syntax *result = syntax_copy(&cutter->unit->syntax, condition);

	result->word = word;
	return result;
}

/* The value of a loop's variable as the comparison that it stands for, another CONDITION as it is.
 */
static struct syntax *as_comparison(const struct cutter *cutter, struct syntax *condition)
{
	struct syntax *zero, *result;

	if (condition->kind != SYNTAX_ITERATOR)
		return condition;
	zero = syntax_new(&cutter->unit->syntax, SYNTAX_NUMBER, condition->range, 0);
	zero->word = "0";
	zero->type = condition->type;
	result = syntax_new(&cutter->unit->syntax, SYNTAX_BINARY, condition->range, 2);
	result->word = "!=";
	result->type = (struct type){.kind = TYPE_INTEGER, .name = "int"};
	result->parts[0] = condition;
	result->parts[1] = zero;
	return result;
}

/* Whether CONDITION, which is made of no others, is a cut of the loop that it depends on. */
static bool is_cut(const struct cutter *cutter, const struct syntax *condition)
{
	for (unsigned int i = 0; i < cutter->sets->iterators.count; i++)
		if (value_has(condition, i))
			return even_is_cut(condition, i);
	return true;
}

/* How many ways lead to where a condition holds, and to where it does not. */
struct ways {
	unsigned int holds, fails; /* 0: it is not made of cuts alone; MANY: too many */
};

static unsigned int few(unsigned int ways)
{
	return ways < MANY ? ways : MANY;
}

static struct ways find_ways(const struct cutter *cutter, struct syntax *condition)
{
	struct ways one, other;
	unsigned int leaf;

	condition = as_comparison(cutter, condition);
	if (is_not(condition)) {
		one = find_ways(cutter, condition->parts[0]);
		return (struct ways){one.fails, one.holds};
	}
	if (!is_logic(condition)) {
		leaf = is_equality(condition) && value_has_any(condition)
			       ? is_cut(cutter, with_word(cutter, condition, "<"))
			       : is_cut(cutter, condition);
		return (struct ways){leaf, leaf};
	}
	one = find_ways(cutter, condition->parts[0]);
	other = find_ways(cutter, condition->parts[1]);
	if (!one.holds || !other.holds)
		return (struct ways){0, 0};
	if (is_word(condition, "&&"))
		return (struct ways){few(one.holds * other.holds),
				     few(one.fails + one.holds * other.fails)};
	return (struct ways){few(one.holds + one.fails * other.holds),
			     few(one.fails * other.fails)};
}

/* The ways to what is under PART's condition, 0 as above. */
static unsigned int ways_to(const struct cutter *cutter, const struct part_of_set *part)
{
	struct ways ways;

	if (part->kind != PART_IF || !value_has_any(part->condition))
		return 0;
	ways = find_ways(cutter, part->condition);
	return part->otherwise ? ways.fails : ways.holds;
}

/* -- parts ------------------------------------------------------------------------------------- */

/* What is under CONDITION, if it holds or else OTHERWISE, or if BESIDE does: to TO. */
static void add_if(const struct cutter *cutter, const struct under *under, struct syntax *condition,
		   bool otherwise, struct syntax *beside, part_list *to)
{
	struct part_of_set *part = memory_new(sizeof *part);

	*part = *under->like;
	part->condition = condition;
	part->otherwise = otherwise;
	part->beside = beside;
	memset(&part->parts, 0, sizeof part->parts);
	for (size_t i = 0; i < under->parts.count; i++)
		*list_add(&part->parts) = under->parts.items[i];
	*list_add(to) = part;
	*list_add(&cutter->sets->memory) = part;
}

static void add_cuts(const struct cutter *cutter, const struct under *under,
		     struct syntax *condition, bool otherwise, part_list *to);

/* The same where ONE holds, or not if it is ONE_OTHERWISE, and, inside of that, OTHER. */
static void add_both(const struct cutter *cutter, const struct under *under, struct syntax *one,
		     bool one_otherwise, struct syntax *other, bool otherwise, part_list *to)
{
	struct under inner = {.like = under->like};

	add_cuts(cutter, under, other, otherwise, &inner.parts);
	add_cuts(cutter, &inner, one, one_otherwise, to);
	list_free(&inner.parts);
}

static void add_cuts(const struct cutter *cutter, const struct under *under,
		     struct syntax *condition, bool otherwise, part_list *to)
{
	struct syntax **parts;

	condition = as_comparison(cutter, condition);
	parts = condition->parts;
	if (is_not(condition)) {
		add_cuts(cutter, under, parts[0], !otherwise, to);
	} else if (is_logic(condition) && is_word(condition, "&&") != otherwise) {
		add_both(cutter, under, parts[0], otherwise, parts[1], otherwise, to);
	} else if (is_logic(condition)) {
		add_cuts(cutter, under, parts[0], otherwise, to);
		add_both(cutter, under, parts[0], !otherwise, parts[1], otherwise, to);
	} else if (!is_equality(condition) || !value_has_any(condition)) {
		add_if(cutter, under, condition, otherwise, NULL, to);
	} else if (is_word(condition, "==") != otherwise) {
		add_both(cutter, under, with_word(cutter, condition, "<="), false,
			 with_word(cutter, condition, ">="), false, to);
	} else {
		add_if(cutter, under, with_word(cutter, condition, "<"), false,
		       with_word(cutter, condition, ">"), to);
	}
}

/* Of how many conditions that are made of no others it is made. */
static unsigned int leaves_of(const struct syntax *condition)
{
	unsigned int leaves = 0;

	if (!is_not(condition) && !is_logic(condition))
		return 1;
	for (unsigned int i = 0; i < condition->count && leaves < MANY; i++)
		leaves += leaves_of(condition->parts[i]);
	return leaves;
}

/* What is said of the conditions around something. */
struct around {
	unsigned int ways, depth; /* that may still lead there; that are in each other */
};

/* The same inside of PART, if it is to be cut; else false, and AROUND is as it was. */
static bool enter(struct cutter *cutter, const struct part_of_set *part, struct around *around)
{
	unsigned int ways = ways_to(cutter, part), leaves;

	if (!ways || ways > around->ways)
		return false;
	leaves = leaves_of(part->condition);
	if (around->depth + leaves > DEPTH_MOST || ways * leaves > cutter->left)
		return false;
	cutter->left -= ways * leaves;
	around->ways /= ways;
	around->depth += leaves;
	return true;
}

static void cut_in(struct cutter *cutter, struct part_of_set *block, struct around around)
{
	part_list parts = {0};

	for (size_t i = 0; i < block->parts.count; i++) {
		struct part_of_set *part = block->parts.items[i];
		struct under under = {.like = part};
		struct around inside = around;
		bool cuts = enter(cutter, part, &inside);

		cut_in(cutter, part, inside);
		if (!cuts) {
			part->uncut = part->kind == PART_IF && value_has_any(part->condition);
			*list_add(&parts) = part;
			continue;
		}
		for (size_t j = 0; j < part->parts.count; j++)
			*list_add(&under.parts) = part->parts.items[j];
		add_cuts(cutter, &under, part->condition, part->otherwise, &parts);
		list_free(&under.parts);
	}
	block->parts.count = 0;
	for (size_t i = 0; i < parts.count; i++)
		*list_add(&block->parts) = parts.items[i];
	list_free(&parts);
}

void cuts_find(struct unit *unit, struct sets *sets)
{
	struct cutter cutter = {unit, sets, CUTS_MOST};

	cut_in(&cutter, sets->all, (struct around){MANY - 1, 0});
}
