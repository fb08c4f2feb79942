// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mischief.c - delays, stalls and pieces, drawn from random numbers.
 */
#include "mischief.h"

#define US 1000ull
#define MS 1000000ull

#define SMALL_PIECE 64

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
	uint64_t mixed = *state += 0x9e3779b97f4a7c15ull;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
	return mixed ^ mixed >> 31;
}

static uint64_t below(struct mischief *mischief, uint64_t limit)
{
	return next(&mischief->state) % limit;
}

struct mischief mischief_start(uint64_t seed, int own, int other)
{
	static const unsigned paces[] = {0, 1, 1, 1, 2, 8};
	struct mischief mischief = {.state = seed};

	mischief.state = next(&mischief.state) + (uint64_t)own;
	mischief.state = next(&mischief.state) + (uint64_t)other;
	mischief.pace = paces[below(&mischief, sizeof(paces) / sizeof(paces[0]))];
	return mischief;
}

bool mischief_parts(uint64_t seed)
{
	return next(&seed) & 1;
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
