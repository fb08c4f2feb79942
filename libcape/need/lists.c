// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lists.c - lists of pages, of pieces that are pushed, and of changes.
 */
#include "need/parts.h"

#define RUNS_LIMIT (1ul << 38)

void cape_need_list_add(struct cape_need_list *list, struct cape_range pages)
{
	size_t count = list->count;

	if (count && list->range[count - 1].end == pages.start)
		list->range[count - 1].end = pages.end;
	else
		list->range[list->count++] = pages;
}

/* Whether PIECE goes on where LAST ends. */
static bool goes_on(const struct cape_need_piece *last, const struct cape_need_piece *piece)
{
	return last->address + last->length == piece->address &&
	       last->destinations == piece->destinations && last->exact == piece->exact &&
	       last->sent == piece->sent;
}

void cape_need_piece_add(struct cape_need *need, struct cape_need_piece piece)
{
	size_t count = need->pieces;

	if (count && goes_on(&need->piece[count - 1], &piece))
		need->piece[count - 1].length += piece.length;
	else
		need->piece[need->pieces++] = piece;
}

void cape_need_destinations(const struct cape_need *need, struct cape_node_bits *bits)
{
	cape_node_set last = CAPE_NO_NODES;

	*bits = (struct cape_node_bits){{0}};
	for (size_t i = 0; i < need->pieces; i++) {
		const uint64_t *word = cape_node_set_words(need->sets, need->piece[i].destinations);

		for (size_t w = 0; w < need->sets->words && need->piece[i].destinations != last;
		     w++)
			bits->word[w] |= word[w];
		last = need->piece[i].destinations;
	}
}

/* Bottom-up, for two orders were appended one after the other, both nearly sorted. */
void cape_need_sort_list(struct cape_need_piece **piece, struct cape_need_piece **spare,
			 size_t pieces)
{
	for (size_t width = 1; width < pieces; width *= 2) {
		struct cape_need_piece *from = *piece;

		for (size_t start = 0; start < pieces; start += 2 * width) {
			size_t middle = start + width < pieces ? start + width : pieces;
			size_t end = start + 2 * width < pieces ? start + 2 * width : pieces;
			size_t a = start, b = middle, to = start;

			while (a < middle || b < end)
				(*spare)[to++] = b >= end || (a < middle &&
							      from[a].address <= from[b].address)
							 ? from[a++]
							 : from[b++];
		}
		*piece = *spare;
		*spare = from;
	}
}

void cape_need_sort_pieces(struct cape_need *need)
{
	cape_need_sort_list(&need->piece, &need->spare, need->pieces);
}

void cape_need_runs_clear(struct cape_runtime *runtime, struct cape_runs_array *array)
{
	if (!array->runs.memory) {
		cape_private_array_init(&array->memory, cape_must_reserve(runtime, RUNS_LIMIT),
					RUNS_LIMIT);
		cape_runs_init(&array->runs, &array->memory.memory);
	}
	cape_runs_clear(&array->runs);
}

void cape_need_runs_add(struct cape_runtime *runtime, struct cape_runs *runs, uint64_t address,
			uint64_t length)
{
	int error = cape_runs_add(runs, address, length);

	if (error < 0)
		cape_fail_for_changes(runtime, runs->count, error);
}
