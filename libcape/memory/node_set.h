/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * node_set.h - sets of nodes, for any number of nodes: a set is a number, by which a table of this
 * node's finds its bits.
 *
 * There is one of such a record for each page, so it is small, and equal sets have equal numbers.
 * Those numbers are this node's own: between nodes, and in files, sets travel as words of bits, of
 * which all nodes of a run have as many.  The table grows; what no record has any more goes when
 * it is swept, at a time when all records are at rest.
 */
#ifndef CAPE_NODE_SET_H
#define CAPE_NODE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "channel/channel.h"

#define CAPE_NODE_WORD	   64u /* nodes in a word of bits: bit N % 64 of word N / 64 is node N */
#define CAPE_NODE_WORDS	   (CAPE_NODES_LIMIT / CAPE_NODE_WORD)
#define CAPE_NODE_SET_MEMO 256u

typedef uint32_t cape_node_set;

#define CAPE_NO_NODES 0u

/* What has been computed. */
struct cape_node_set_memo {
	cape_node_set a, b, result;
};

struct cape_node_sets {
	unsigned nodes;
	size_t words;	   /* of a set */
	cape_node_set all; /* nodes */
	uint64_t *word;	   /* WORDS for each number; all zeros: it is free, but for the first */
	uint32_t count;	   /* numbers that were ever in use */
	uint32_t used;	   /* that are */
	uint32_t free;	   /* no number below is free */
	uint32_t due;	   /* so many in use are to be swept */
	uint32_t *slot;	   /* numbers, by what the bits hash to; 0: none */
	uint32_t slots;
	uint64_t *in_use; /* a bit for each number */
	struct cape_node_set_memo united[CAPE_NODE_SET_MEMO], less[CAPE_NODE_SET_MEMO];
};

struct cape_runtime;

/* Makes an empty table, for RUNTIME's nodes. */
void cape_node_sets_start(struct cape_runtime *runtime, struct cape_node_sets *sets);

/* The set of NODE alone. */
static inline cape_node_set cape_node_set_of(unsigned node)
{
	return 1 + node;
}

/* The bits of SET, as long as it is kept. */
static inline const uint64_t *cape_node_set_words(const struct cape_node_sets *sets,
						  cape_node_set set)
{
	return &sets->word[set * sets->words];
}

static inline bool cape_node_set_has(const struct cape_node_sets *sets, cape_node_set set,
				     unsigned node)
{
	const uint64_t *word = cape_node_set_words(sets, set);

	return word[node / CAPE_NODE_WORD] >> (node % CAPE_NODE_WORD) & 1;
}

/* What is in A or B; in A and not in B. */
cape_node_set cape_node_set_union(struct cape_node_sets *sets, cape_node_set a, cape_node_set b);
cape_node_set cape_node_set_minus(struct cape_node_sets *sets, cape_node_set a, cape_node_set b);

static inline cape_node_set cape_node_set_with(struct cape_node_sets *sets, cape_node_set set,
					       unsigned node)
{
	return cape_node_set_union(sets, set, cape_node_set_of(node));
}

static inline cape_node_set cape_node_set_without(struct cape_node_sets *sets, cape_node_set set,
						  unsigned node)
{
	return cape_node_set_minus(sets, set, cape_node_set_of(node));
}

/* *SET: the one whose bits are at WORD, from elsewhere.  False: it has nodes that there are not. */
bool cape_node_set_take(struct cape_node_sets *sets, const uint64_t *word, cape_node_set *set);

/* The first node of SET from FROM on, or as many as there are nodes; how many are in SET. */
unsigned cape_node_set_next(const struct cape_node_sets *sets, cape_node_set set, unsigned from);
unsigned cape_node_set_count(const struct cape_node_sets *sets, cape_node_set set);

/*
 * Whether many sets were made since the table was swept.  keep: SET is in use.  sweep: all those go
 * that were not kept since the last time; what is in use has the number that it had.
 */
bool cape_node_sets_are_due(const struct cape_node_sets *sets);
void cape_node_sets_keep(struct cape_node_sets *sets, cape_node_set set);
void cape_node_sets_sweep(struct cape_node_sets *sets);

/* A set that changes all the time, and of which there are few. */
struct cape_node_bits {
	uint64_t word[CAPE_NODE_WORDS];
};

static inline bool cape_node_bits_have(const struct cape_node_bits *bits, unsigned node)
{
	return bits->word[node / CAPE_NODE_WORD] >> (node % CAPE_NODE_WORD) & 1;
}

static inline void cape_node_bits_put(struct cape_node_bits *bits, unsigned node, bool in)
{
	uint64_t *word = &bits->word[node / CAPE_NODE_WORD];
	uint64_t bit = 1ull << node % CAPE_NODE_WORD;

	*word = in ? *word | bit : *word & ~bit;
}

#endif
