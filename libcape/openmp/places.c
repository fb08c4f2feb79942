// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * places.c - OMP_PLACES and OMP_PROC_BIND: reads them, and says which thread of a team is where.
 */
#include "openmp/places.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "system/libc.h"
#include "base/context.h"
#include "openmp/openmp.h"
#include "openmp/topology.h"

#define NUMBERS	  ((long)(CAPE_SET_WORDS * CAPE_SET_BITS))
#define TEXT_ROOM 256

/* A set that is read. */
struct wide {
	unsigned long word[CAPE_SET_WORDS];
};

static void set_bit(unsigned long *set, long number)
{
	set[(size_t)number / CAPE_SET_BITS] |= 1ul << ((size_t)number % CAPE_SET_BITS);
}

static bool has_bit(const unsigned long *set, long number)
{
	return cape_set_has(set, (size_t)number);
}

/* -- sets as text --------------------------------------------------------------------------- */

void cape_places_text(const unsigned long *set, size_t words, bool lengths, char *text, size_t room)
{
	long numbers = (long)(words * CAPE_SET_BITS);
	size_t at = 0;

	text[0] = '\0';
	for (long first = 0, end; first < numbers && at < room; first = end) {
		end = first + 1;
		if (!has_bit(set, first))
			continue;
		while (end < numbers && has_bit(set, end))
			end++;
		at += (size_t)snprintf(text + at, room - at, "%s%ld", at ? "," : "", first);
		if (end > first + 1 && at < room)
			at += (size_t)snprintf(text + at, room - at, lengths ? ":%ld" : "-%ld",
					       lengths ? end - first : end - 1);
	}
}

/* -- the list ------------------------------------------------------------------------------- */

/* The program's memory is no place for sets: it may be saved, and come to another machine. */
bool cape_places_ask(struct cape_runtime *runtime)
{
	struct cape_spots *spots = &runtime->openmp->spots;
	unsigned long set[CAPE_SET_WORDS];
	long bytes;

	if (spots->allowed)
		return true;
	bytes = syscall(SYS_sched_getaffinity, 0, sizeof(set), set);
	if (bytes <= 0)
		return false;
	spots->words = (size_t)bytes / sizeof(set[0]);
	spots->allowed = cape_must_reserve(runtime, (size_t)bytes);
	memcpy(spots->allowed, set, (size_t)bytes);
	return true;
}

static bool start(struct cape_runtime *runtime)
{
	struct cape_spots *spots = &runtime->openmp->spots;

	if (!cape_places_ask(runtime))
		return false;
	spots->room = (unsigned)(spots->words * CAPE_SET_BITS);
	spots->sets = cape_must_reserve(runtime,
					(spots->room + 1ul) * spots->words * sizeof(*spots->sets));
	return true;
}

bool cape_places_add(struct cape_spots *spots, const unsigned long *set)
{
	unsigned long any = 0, *to = cape_places_set(spots, spots->count);

	if (spots->count == spots->room)
		return false;
	for (size_t i = 0; i < spots->words; i++)
		any |= to[i] = set[i] & spots->allowed[i];
	spots->count += any != 0;
	return any;
}

/* -- OMP_PLACES ----------------------------------------------------------------------------- */

/* What is read, and what of it there is not. */
struct reader {
	const char *at;
	struct cape_spots *spots;
	struct wide missing;
};

static bool takes(struct reader *reader, char letter)
{
	reader->at += strspn(reader->at, " \t");
	if (*reader->at != letter)
		return false;
	reader->at++;
	return true;
}

static bool take_number(struct reader *reader, long least, long *number)
{
	char *end;

	reader->at += strspn(reader->at, " \t");
	if (least >= 0 && (*reader->at < '0' || *reader->at > '9'))
		return false;
	errno = 0;
	*number = strtol(reader->at, &end, 10);
	if (end == reader->at || errno || *number < least || *number >= NUMBERS)
		return false;
	reader->at = end;
	return true;
}

/* After a colon how many, after a second one how far apart. */
static bool take_interval(struct reader *reader, long *length, long *stride)
{
	*length = *stride = 1;
	if (!takes(reader, ':'))
		return true;
	return take_number(reader, 1, length) &&
	       (!takes(reader, ':') || take_number(reader, -NUMBERS, stride));
}

/* Processors, up to the brace. */
static bool take_set(struct reader *reader, struct wide *set)
{
	struct wide without = {{0}};

	*set = without;
	do {
		bool excluded = takes(reader, '!');
		long number, length, stride;

		if (!take_number(reader, 0, &number) || !take_interval(reader, &length, &stride))
			return false;
		for (; length > 0; length--, number += stride) {
			if (number < 0 || number >= NUMBERS)
				return false;
			set_bit(excluded ? without.word : set->word, number);
		}
	} while (takes(reader, ','));
	for (size_t i = 0; i < CAPE_SET_WORDS; i++)
		set->word[i] &= ~without.word[i];
	return takes(reader, '}');
}

/* Every number of SET moved by DISTANCE; false: to one that there cannot be. */
static bool move(struct wide *to, const struct wide *set, long distance)
{
	memset(to, 0, sizeof(*to));
	for (long i = 0; i < NUMBERS; i++) {
		if (!set->word[(size_t)i / CAPE_SET_BITS])
			i += (long)CAPE_SET_BITS - 1;
		if (!has_bit(set->word, i))
			continue;
		if (i + distance < 0 || i + distance >= NUMBERS)
			return false;
		set_bit(to->word, i + distance);
	}
	return true;
}

static void add(struct reader *reader, const struct wide *set)
{
	const struct cape_spots *spots = reader->spots;

	for (size_t i = 0; i < CAPE_SET_WORDS; i++)
		reader->missing.word[i] |=
			set->word[i] & ~(i < spots->words ? spots->allowed[i] : 0);
	cape_places_add(reader->spots, set->word);
}

/* Of the spots that are SET, the first; false: none is. */
static bool take_out(struct cape_spots *spots, const struct wide *set)
{
	size_t size = spots->words * sizeof(*spots->sets);
	unsigned at = 0, last;

	/* It stands at the end for a while. */
	if (!cape_places_add(spots, set->word))
		return true;
	last = --spots->count;
	while (at < last &&
	       memcmp(cape_places_set(spots, at), cape_places_set(spots, last), size) != 0)
		at++;
	if (at == last)
		return false;
	memmove(cape_places_set(spots, at), cape_places_set(spots, at + 1), (last - at - 1) * size);
	spots->count--;
	return true;
}

static bool take_places(struct reader *reader)
{
	bool excluded = takes(reader, '!');
	long length = 1, stride = 1;
	struct wide set, moved;

	if (!takes(reader, '{') || !take_set(reader, &set))
		return false;
	if (excluded)
		return take_out(reader->spots, &set);
	if (!take_interval(reader, &length, &stride))
		return false;
	for (long i = 0; i < length; i++) {
		if (!move(&moved, &set, i * stride))
			return false;
		add(reader, &moved);
	}
	return true;
}

static bool take_list(struct reader *reader)
{
	do
		if (!take_places(reader))
			return false;
	while (takes(reader, ','));
	return takes(reader, '\0');
}

/* A name of what the machine is made of, and perhaps how many of it. */
static bool take_name(struct reader *reader, const char *whole)
{
	static const char *const names[] = CAPE_TOPOLOGY_NAMES;
	size_t length = strspn(reader->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
	long most = NUMBERS;
	unsigned got;
	int kind = 0;

	while (kind < CAPE_TOPOLOGY_KINDS &&
	       (strlen(names[kind]) != length || strncasecmp(reader->at, names[kind], length) != 0))
		kind++;
	if (kind == CAPE_TOPOLOGY_KINDS)
		return false;
	reader->at += length;
	if (takes(reader, '(') && (!take_number(reader, 1, &most) || !takes(reader, ')')))
		return false;
	if (!takes(reader, '\0'))
		return false;
	if (!cape_topology_add(reader->spots, (enum cape_topology)kind, (unsigned)most)) {
		dprintf(STDERR_FILENO,
			"cape: OMP_PLACES='%s' is ignored: only libhwloc.so.15 knows the %s of the "
			"machine, and it is not installed or cannot read them; name processors by "
			"numbers instead\n",
			whole, names[kind]);
		return true;
	}
	got = reader->spots->count;
	if (got && most < NUMBERS && got < (unsigned)most)
		dprintf(STDERR_FILENO,
			"cape: OMP_PLACES='%s': only %u are available to this process\n", whole,
			got);
	return true;
}

static void tell_missing(const struct reader *reader, const char *whole)
{
	char text[TEXT_ROOM];

	cape_places_text(reader->missing.word, CAPE_SET_WORDS, false, text, sizeof(text));
	if (*text)
		dprintf(STDERR_FILENO,
			"cape: OMP_PLACES='%s': processor %s is left out: it does not exist, or "
			"this process may not use it\n",
			whole, text);
	if (!reader->spots->count)
		dprintf(STDERR_FILENO,
			"cape: OMP_PLACES='%s' is ignored: it names no processor that this process "
			"may use\n",
			whole);
}

bool cape_places_read(struct cape_runtime *runtime, const char *text)
{
	struct cape_openmp *openmp = runtime->openmp;
	struct reader reader = {.at = text, .spots = &openmp->spots};
	bool right;

	if (!runtime->by_threads || (openmp->binds && openmp->bind[0] == omp_proc_bind_false))
		return true;
	if (!start(runtime))
		return true;
	reader.at += strspn(reader.at, " \t");
	if (*reader.at != '{' && *reader.at != '!')
		return take_name(&reader, text);
	right = take_list(&reader);
	if (right)
		tell_missing(&reader, text);
	else
		reader.spots->count = 0;
	return right;
}

/* -- OMP_PROC_BIND -------------------------------------------------------------------------- */

/* The kind of binding whose name stands at *TEXT, which moves after it; or -1. */
static int take_bind(const char **text)
{
	static const struct {
		const char *name;
		int kind;
	} known[] = {
		{"false", omp_proc_bind_false},	    {"true", omp_proc_bind_true},
		{"primary", omp_proc_bind_primary}, {"master", omp_proc_bind_master},
		{"close", omp_proc_bind_close},	    {"spread", omp_proc_bind_spread},
	};

	*text += strspn(*text, " \t");
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i].name);

		if (strncasecmp(*text, known[i].name, length) != 0)
			continue;
		*text += length;
		*text += strspn(*text, " \t");
		return known[i].kind;
	}
	return -1;
}

bool cape_places_read_bind(struct cape_runtime *runtime, const char *text)
{
	unsigned char bind[CAPE_BINDS];
	unsigned count = 0;

	do {
		int kind = take_bind(&text);

		/* True and false stand alone. */
		if (kind < 0 || (kind <= omp_proc_bind_true && (count || *text)))
			return false;
		if (count < CAPE_BINDS)
			bind[count++] = (unsigned char)kind;
	} while (*text++ == ',');
	if (text[-1])
		return false;
	if (runtime->by_threads) {
		memcpy(runtime->openmp->bind, bind, count);
		runtime->openmp->binds = count;
	}
	return true;
}

int cape_places_bind_at(const struct cape_runtime *runtime, unsigned level)
{
	const struct cape_openmp *openmp = runtime->openmp;

	if (!openmp->binds)
		return omp_proc_bind_false;
	return openmp->bind[level < openmp->binds ? level : openmp->binds - 1];
}

void cape_places_start(struct cape_runtime *runtime)
{
	struct cape_openmp *openmp = runtime->openmp;
	struct cape_spots *spots = &openmp->spots;

	if (!runtime->by_threads)
		return;
	if (!openmp->binds && spots->count) {
		openmp->bind[0] = omp_proc_bind_true;
		openmp->binds = 1;
	}
	if (!openmp->binds || openmp->bind[0] == omp_proc_bind_false)
		return;
	if (!spots->count && (spots->sets || start(runtime)))
		cape_topology_add(spots, CAPE_TOPOLOGY_THREADS, UINT_MAX);
	if (spots->count)
		cape_places_sit(spots, 0);
}

/* -- teams ---------------------------------------------------------------------------------- */

/* Which of PARTS, as equal as can be, of WHOLE things in a row has number AT; the first are longer.
 */
static unsigned part_of(unsigned whole, unsigned parts, unsigned at)
{
	unsigned least = whole / parts, longer = whole % parts, border = longer * (least + 1);

	return at < border ? at / (least + 1) : longer + (at - border) / least;
}

static unsigned start_of(unsigned whole, unsigned parts, unsigned part)
{
	unsigned longer = whole % parts;

	return part * (whole / parts) + (part < longer ? part : longer);
}

/*
 * Of more threads than spots the first so many times as there are spots, in equal parts; those that
 * are left one each.
 */
static unsigned turn_of(unsigned size, unsigned spots, unsigned number)
{
	unsigned each = size / spots;

	return number < each * spots ? number / each : number - each * spots;
}

struct cape_seat cape_places_seat(struct cape_seat master, int bind, unsigned size, unsigned number)
{
	unsigned at = (unsigned)master.spot - master.first, turn, part;
	struct cape_seat seat = master;

	if (master.spot < 0 || bind == omp_proc_bind_false || bind == omp_proc_bind_primary)
		return seat;
	if (bind == omp_proc_bind_spread && size <= master.count) {
		part = (part_of(master.count, size, at) + number) % size;
		seat.first = master.first + start_of(master.count, size, part);
		seat.count =
			start_of(master.count, size, part + 1) - start_of(master.count, size, part);
		seat.spot = number ? (int)seat.first : master.spot;
		return seat;
	}
	turn = size > master.count ? turn_of(size, master.count, number) : number;
	seat.spot = (int)(master.first + (at + turn) % master.count);
	if (bind == omp_proc_bind_spread) {
		seat.first = (unsigned)seat.spot;
		seat.count = 1;
	}
	return seat;
}

void cape_places_sit(const struct cape_spots *spots, unsigned number)
{
	syscall(SYS_sched_setaffinity, 0, spots->words * sizeof(*spots->sets),
		cape_places_set(spots, number));
}
