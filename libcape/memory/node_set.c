// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * node_set.c - a table of distinct sets of nodes.
 *
 * The first numbers are for good: the empty set, that of each node alone, and that of all.
 */
#include "memory/node_set.h"

#include <string.h>
#include "base/context.h"

#define SETS_LIMIT  (1u << 26)	      /* more than pages can have */
#define SLOTS_LIMIT (2u * SETS_LIMIT) /* half of them are empty */
#define SLOTS_FIRST 1024u
#define DUE_FIRST   8192u
#define MIX	    0x9e3779b97f4a7c15u

static uint64_t *words_of(const struct cape_node_sets *sets, uint32_t number)
{
	return &sets->word[number * sets->words];
}

static bool is_empty(const struct cape_node_sets *sets, const uint64_t *word)
{
	uint64_t any = 0;

	for (size_t i = 0; i < sets->words; i++)
		any |= word[i];
	return !any;
}

/* -- numbers by bits ------------------------------------------------------------------------- */

/* Where the number of the set is, or could be. */
static uint32_t *slot_of(const struct cape_node_sets *sets, const uint64_t *word)
{
	uint64_t hash = 0;
	uint32_t at;

	for (size_t i = 0; i < sets->words; i++) {
		hash = (hash ^ word[i]) * MIX;
		hash ^= hash >> 32;
	}
	for (at = (uint32_t)hash & (sets->slots - 1); sets->slot[at];
	     at = (at + 1) & (sets->slots - 1))
		if (memcmp(words_of(sets, sets->slot[at]), word, sets->words * sizeof(*word)) == 0)
			break;
	return &sets->slot[at];
}

static void fill_slots(struct cape_node_sets *sets)
{
	memset(sets->slot, 0, sets->slots * sizeof(*sets->slot));
	for (uint32_t number = 1; number < sets->count; number++)
		if (!is_empty(sets, words_of(sets, number)))
			*slot_of(sets, words_of(sets, number)) = number;
}

static uint32_t new_number(struct cape_node_sets *sets)
{
	while (sets->free < sets->count && !is_empty(sets, words_of(sets, sets->free)))
		sets->free++;
	if (sets->free == SETS_LIMIT)
		cape_fail(cape_runtime, 0, "there is no room for more sets of nodes");
	sets->count += sets->free == sets->count;
	sets->used++;
	return sets->free++;
}

/* The number of the set whose bits are at WORD. */
static cape_node_set intern(struct cape_node_sets *sets, const uint64_t *word)
{
	uint32_t *slot = slot_of(sets, word), number = *slot;

	if (number || is_empty(sets, word))
		return number;
	number = *slot = new_number(sets);
	memcpy(words_of(sets, number), word, sets->words * sizeof(*word));
	if (sets->used > sets->slots / 2) {
		sets->slots *= 2;
		fill_slots(sets);
	}
	return number;
}

void cape_node_sets_start(struct cape_runtime *runtime, struct cape_node_sets *sets)
{
	struct cape_node_bits bits = {{0}};

	*sets = (struct cape_node_sets){
		.nodes = runtime->nodes,
		.words = (runtime->nodes + CAPE_NODE_WORD - 1) / CAPE_NODE_WORD,
		.slots = SLOTS_FIRST,
		.count = 1,
		.free = 1,
		.due = DUE_FIRST,
	};
	sets->word = cape_must_reserve(runtime, SETS_LIMIT * sets->words * sizeof(*sets->word));
	sets->slot = cape_must_reserve(runtime, SLOTS_LIMIT * sizeof(*sets->slot));
	sets->in_use = cape_must_reserve(runtime, SETS_LIMIT / 8);
	for (unsigned node = 0; node < sets->nodes; node++) {
		cape_node_bits_put(&bits, node, true);
		intern(sets, bits.word);
		cape_node_bits_put(&bits, node, false);
	}
	for (unsigned node = 0; node < sets->nodes; node++)
		cape_node_bits_put(&bits, node, true);
	sets->all = intern(sets, bits.word);
}

/* -- sets of others -------------------------------------------------------------------------- */

/* What was computed of A and B last, or something else. */
static struct cape_node_set_memo *memo_of(struct cape_node_set_memo *memo, cape_node_set a,
					  cape_node_set b)
{
	return &memo[(a * 0x9e3779b1u ^ b * 0x85ebca77u) >> 24 & (CAPE_NODE_SET_MEMO - 1)];
}

cape_node_set cape_node_set_union(struct cape_node_sets *sets, cape_node_set a, cape_node_set b)
{
	struct cape_node_set_memo *memo = memo_of(sets->united, a, b);
	uint64_t word[CAPE_NODE_WORDS];

	if (memo->a == a && memo->b == b)
		return memo->result;
	for (size_t i = 0; i < sets->words; i++)
		word[i] = words_of(sets, a)[i] | words_of(sets, b)[i];
	*memo = (struct cape_node_set_memo){a, b, intern(sets, word)};
	return memo->result;
}

cape_node_set cape_node_set_minus(struct cape_node_sets *sets, cape_node_set a, cape_node_set b)
{
	struct cape_node_set_memo *memo = memo_of(sets->less, a, b);
	uint64_t word[CAPE_NODE_WORDS];

	if (memo->a == a && memo->b == b)
		return memo->result;
	for (size_t i = 0; i < sets->words; i++)
		word[i] = words_of(sets, a)[i] & ~words_of(sets, b)[i];
	*memo = (struct cape_node_set_memo){a, b, intern(sets, word)};
	return memo->result;
}

bool cape_node_set_take(struct cape_node_sets *sets, const uint64_t *word, cape_node_set *set)
{
	unsigned rest = sets->nodes % CAPE_NODE_WORD;

	if (rest && word[sets->words - 1] >> rest)
		return false;
	*set = intern(sets, word);
	return true;
}

unsigned cape_node_set_next(const struct cape_node_sets *sets, cape_node_set set, unsigned from)
{
	for (size_t i = from / CAPE_NODE_WORD; i < sets->words; i++) {
		uint64_t word = cape_node_set_words(sets, set)[i];

		if (i == from / CAPE_NODE_WORD)
			word &= ~0ull << from % CAPE_NODE_WORD;
		if (word)
			return (unsigned)i * CAPE_NODE_WORD + (unsigned)__builtin_ctzll(word);
	}
	return sets->nodes;
}

unsigned cape_node_set_count(const struct cape_node_sets *sets, cape_node_set set)
{
	unsigned count = 0;

	for (size_t i = 0; i < sets->words; i++)
		count += (unsigned)__builtin_popcountll(cape_node_set_words(sets, set)[i]);
	return count;
}

/* -- those that nobody has ------------------------------------------------------------------- */

bool cape_node_sets_are_due(const struct cape_node_sets *sets)
{
	return sets->used >= sets->due;
}

void cape_node_sets_keep(struct cape_node_sets *sets, cape_node_set set)
{
	sets->in_use[set / 64] |= 1ull << set % 64;
}

static bool is_in_use(const struct cape_node_sets *sets, uint32_t number)
{
	return number <= sets->nodes || number == sets->all ||
	       (sets->in_use[number / 64] >> number % 64 & 1);
}

void cape_node_sets_sweep(struct cape_node_sets *sets)
{
	sets->used = 0;
	for (uint32_t number = 1; number < sets->count; number++) {
		uint64_t *word = words_of(sets, number);

		if (!is_in_use(sets, number))
			memset(word, 0, sets->words * sizeof(*word));
		sets->used += !is_empty(sets, word);
	}
	memset(sets->in_use, 0, (sets->count / 64 + 1) * sizeof(*sets->in_use));
	memset(sets->united, 0, sizeof(sets->united));
	memset(sets->less, 0, sizeof(sets->less));
	sets->free = 1;
	sets->due = 2 * sets->used > DUE_FIRST ? 2 * sets->used : DUE_FIRST;
	fill_slots(sets);
}
