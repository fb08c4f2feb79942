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
#define TURNS 3 /* nodes may be busy */

/* *TOOK, on node 0: until all have said that they have it.  Whoever is held up makes it longer. */
static int broadcast(struct wire *wire, unsigned char *bytes, uint64_t size, uint64_t *all,
		     uint64_t *took)
{
	uint64_t began = clock_now(), own = 0;
	int error = collective_broadcast(wire, bytes, size, NULL);

	if (!error)
		error = collective_gather_to_all(wire, &own, sizeof(own), all);
	*took = clock_now() - began;
	return error;
}

/* Of brief and long ones each the quickest. */
static int measure(struct wire *wire, unsigned char *bytes, uint64_t *all, uint64_t *more)
{
	uint64_t brief = UINT64_MAX, whole = UINT64_MAX;

	for (int turn = 0; turn < TURNS; turn++) {
		uint64_t took;
		int error = broadcast(wire, bytes, SHORT, all, &took);

		brief = took < brief ? took : brief;
		if (!error)
			error = broadcast(wire, bytes, LONG, all, &took);
		whole = took < whole ? took : whole;
		if (error)
			return error;
	}
	*more = whole - (whole < brief ? whole : brief);
	return 0;
}

int wire_pace(struct wire *wire, uint64_t *nanoseconds)
{
	uint64_t *all = calloc((size_t)wire->size, sizeof(*all)), own;
	unsigned char *bytes = calloc(1, LONG);
	int error = all && bytes ? measure(wire, bytes, all, &own) : -ENOMEM;

	if (!error)
		error = collective_gather_to_all(wire, &own, sizeof(own), all);
	if (!error)
		*nanoseconds = all[0] * 1000 / (LONG - SHORT);
	free(bytes);
	free(all);
	return error;
}
