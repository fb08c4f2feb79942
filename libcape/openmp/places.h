/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * places.h - OpenMP's places, which are sets of processors, and how threads are bound to them.
 *
 * A place in the program's text is a struct cape_place; so these are called spots.  Only a program
 * whose regions are run by threads has any.
 */
#ifndef CAPE_PLACES_H
#define CAPE_PLACES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define CAPE_BINDS 8u /* levels of OMP_PROC_BIND */

/* Of a set of processors: bits of a word, and words of the largest: more than the kernel has. */
#define CAPE_SET_BITS  (CHAR_BIT * sizeof(unsigned long))
#define CAPE_SET_WORDS 1024u

struct cape_runtime;

/* Processors are bits of sets of WORDS words, so many as the kernel's own sets have here. */
struct cape_spots {
	size_t words;
	unsigned long *allowed; /* to this process, as it was started */
	unsigned long *sets;	/* COUNT of them, one after the other, and room for one more */
	unsigned count, room;
};

/* Where a thread is: at a spot, or at none (-1); its teams take COUNT spots from FIRST on. */
struct cape_seat {
	int spot;
	unsigned first, count;
};

static inline bool cape_set_has(const unsigned long *set, size_t number)
{
	return set[number / CAPE_SET_BITS] >> number % CAPE_SET_BITS & 1;
}

/* Asks once which processors are allowed; false: nobody knows. */
bool cape_places_ask(struct cape_runtime *runtime);

/* What the variables OMP_PROC_BIND and OMP_PLACES say; false: malformed. */
bool cape_places_read_bind(struct cape_runtime *runtime, const char *text);
bool cape_places_read(struct cape_runtime *runtime, const char *text);

/* After both: chooses the spots if nobody has, and binds the initial thread. */
void cape_places_start(struct cape_runtime *runtime);

/* Adds a spot of those processors of SET that are allowed; false: there is none. */
bool cape_places_add(struct cape_spots *spots, const unsigned long *set);

/* Spot NUMBER's set. */
static inline unsigned long *cape_places_set(const struct cape_spots *spots, unsigned number)
{
	return spots->sets + number * spots->words;
}

/* How a region at LEVEL binds its threads, as omp_proc_bind_t says. */
int cape_places_bind_at(const struct cape_runtime *runtime, unsigned level);

/*
 * Seats of a team of SIZE, as BIND says: of member NUMBER, whose region's first thread is at
 * MASTER.
 */
struct cape_seat cape_places_seat(struct cape_seat master, int bind, unsigned size,
				  unsigned number);

/* Binds the calling thread to spot NUMBER. */
void cape_places_sit(const struct cape_spots *spots, unsigned number);

/*
 * The numbers in SET of WORDS words as text, of which as much is written as there is ROOM: "0-3,8";
 * as OMP_PLACES has them: "0:4,8".
 */
void cape_places_text(const unsigned long *set, size_t words, bool lengths, char *text,
		      size_t room);

#endif
