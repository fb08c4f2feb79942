// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pace.c - two broadcasts along the chain, a short and a long one: what the long one takes more is
 * the bytes' time, whatever a message takes.
 */
#include "pace.h"

#include <errno.h>
#include <stdlib.h>
#include "collective.h"
#include "common/clock.h"

#define SHORT (2 * WIRE_SMALL_LIMIT) /* for the chain */
#define LONG  (SHORT + 262144u)
#define TURNS 3 /* the quickest counts: nodes may be busy */

/* *TOOK: from when node 0 has begun it, or a little before. */
static int broadcast(struct wire *wire, unsigned char *bytes, uint64_t size, uint64_t *took)
{
	int error = collective_broadcast(wire, bytes, 1, NULL);
	uint64_t began = clock_now();

	if (!error)
		error = collective_broadcast(wire, bytes, size, NULL);
	*took = clock_now() - began;
	return error;
}

static uint64_t slowest(const uint64_t *all, int count)
{
	uint64_t most = 0;

	for (int i = 0; i < count; i++)
		if (all[i] > most)
			most = all[i];
	return most;
}

static int measure(struct wire *wire, unsigned char *bytes, uint64_t *least)
{
	*least = UINT64_MAX;
	for (int turn = 0; turn < TURNS; turn++) {
		uint64_t brief, whole;
		int error = broadcast(wire, bytes, SHORT, &brief);

		if (!error)
			error = broadcast(wire, bytes, LONG, &whole);
		if (error)
			return error;
		whole -= whole < brief ? whole : brief;
		if (whole < *least)
			*least = whole;
	}
	return 0;
}

int wire_pace(struct wire *wire, uint64_t *nanoseconds)
{
	uint64_t *all = calloc((size_t)wire->size, sizeof(*all)), own;
	unsigned char *bytes = calloc(1, LONG);
	int error = all && bytes ? measure(wire, bytes, &own) : -ENOMEM;

	if (!error)
		error = collective_gather_to_all(wire, &own, sizeof(own), all);
	if (!error)
		*nanoseconds = slowest(all, wire->size) * 1000 / (LONG - SHORT);
	free(bytes);
	free(all);
	return error;
}
