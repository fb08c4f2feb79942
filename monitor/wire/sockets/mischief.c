// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mischief.c - delays, stalls, pieces and a cut, drawn from random numbers.
 */
#include "mischief.h"

#include "system/random.h"

#define US 1000ull
#define MS 1000000ull

#define SMALL_PIECE 64
/* Of how many bytes, or microseconds, have passed before a cut. */
#define CUT_BITS      17
#define CUT_TIME_BITS 20

static uint64_t below(struct mischief *mischief, uint64_t limit)
{
	return cape_random_below(&mischief->state, limit);
}

struct mischief mischief_start(uint64_t seed, int own, int other, int way)
{
	static const unsigned paces[] = {0, 1, 1, 1, 1, 1, 2, 2, 2, 8, 8, 40};
	struct mischief mischief = {.state = seed};

	mischief.state = cape_random_next(&mischief.state) + (uint64_t)own;
	mischief.state = cape_random_next(&mischief.state) + (uint64_t)other;
	mischief.state = cape_random_next(&mischief.state) + (uint64_t)way;
	mischief.pace = paces[below(&mischief, sizeof(paces) / sizeof(paces[0]))];
	return mischief;
}

bool mischief_parts(uint64_t seed)
{
	return cape_random_next(&seed) & 1;
}

/* Programs are connected where they share no memory; their lines and those of fetches are alike. */
static bool is_between_programs(uint64_t seed)
{
	struct mischief mischief = {.state = seed * 3 + 1};

	return mischief_parts(seed) && below(&mischief, 2);
}

struct mischief_cut mischief_cut(uint64_t seed, int size)
{
	struct mischief mischief = {.state = ~seed};
	struct mischief_cut cut = {.node = (int)below(&mischief, (uint64_t)size),
				   .line = below(&mischief, MISCHIEF_PEERS),
				   .how = below(&mischief, MISCHIEF_HOWS)};
	uint64_t other = below(&mischief, (uint64_t)size - 1);

	if (cut.line == MISCHIEF_FETCH && is_between_programs(seed))
		cut.line = MISCHIEF_PEERS;
	cut.other = (cut.node + 1 + (int)other) % size;
	/* All services are with node 0. */
	if (cut.line == MISCHIEF_SERVICE && cut.node > 0)
		cut.other = 0;
	/* Often in the middle of a message, and at times when nothing moves. */
	if (below(&mischief, 2))
		cut.bytes = 1 + below(&mischief, 2ull << below(&mischief, CUT_BITS));
	else
		cut.time = US * below(&mischief, 2ull << below(&mischief, CUT_TIME_BITS));
	return cut;
}

uint64_t mischief_delay(struct mischief *mischief)
{
	uint64_t kind;

	if (!mischief->pace)
		return 0;
	kind = below(mischief, 256);
	if (kind == 0)
		return mischief->pace * below(mischief, 4 * MS);
	if (kind < 32)
		return mischief->pace * below(mischief, 300 * US);
	return kind < 128 ? mischief->pace * below(mischief, 30 * US) : 0;
}

uint64_t mischief_stall(struct mischief *mischief)
{
	uint64_t kind;

	if (!mischief->pace)
		return 0;
	kind = below(mischief, 1024);
	if (kind == 0)
		return mischief->pace * below(mischief, 6 * MS);
	return kind < 16 ? mischief->pace * below(mischief, 500 * US) : 0;
}

size_t mischief_piece(struct mischief *mischief, size_t size)
{
	uint64_t kind;

	if (!mischief->pace)
		return size;
	kind = below(mischief, 8);
	if (kind == 0 && size > SMALL_PIECE)
		return 1 + below(mischief, SMALL_PIECE);
	return kind < 3 ? 1 + below(mischief, size) : size;
}
