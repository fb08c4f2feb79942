/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * affinity.c - what a program asks of places, and the line that says where a thread runs.
 *
 * The line is program memory's: in sequential code it must be the same on all nodes, so the host
 * and the process are those that the program sees, and a node runs on any processor.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include "system/libc.h"
#include "omp.h"
#include "base/context.h"
#include "memory/apart.h"
#include "message/one_truth.h"
#include "openmp/affinity.h"
#include "openmp/constructs.h"
#include "openmp/openmp.h"
#include "replica/children.h"

#define PROCESSORS_TEXT 1024

CAPE_EXPORT_IS(int, omp_get_num_places, (void), (int)cape_runtime_get()->openmp->spots.count)
CAPE_EXPORT_IS(int, omp_get_place_num, (void), cape_constructs->seat().spot)

/* The processors of PLACE, their numbers to IDS if that is not NULL. */
static int list_processors(int place, int *ids)
{
	const struct cape_spots *spots = &cape_runtime_get()->openmp->spots;
	const unsigned long *set;
	int count = 0;

	if (place < 0 || (unsigned)place >= spots->count)
		return 0;
	set = cape_places_set(spots, (unsigned)place);
	for (size_t i = 0; i < spots->words * CAPE_SET_BITS; i++) {
		if (!cape_set_has(set, i))
			continue;
		if (ids)
			ids[count] = (int)i;
		count++;
	}
	return count;
}

CAPE_EXPORT_IS(int, omp_get_place_num_procs, (int place), list_processors(place, NULL))

CAPE_EXPORT void omp_get_place_proc_ids(int place, int *ids)
{
	list_processors(place, ids);
}

CAPE_EXPORT_IS(int, omp_get_partition_num_places, (void), (int)cape_constructs->seat().count)

CAPE_EXPORT void omp_get_partition_place_nums(int *places)
{
	struct cape_seat seat = cape_constructs->seat();

	for (unsigned i = 0; i < seat.count; i++)
		places[i] = (int)(seat.first + i);
}

/* Of WIDTH characters at least, to the left, or to the right as the format asks for. */
struct field {
	char letter;
	bool zeros, right;
	int width;
};

/* What is asked for, as far as it fits; LENGTH counts all of it. */
struct line {
	char *text;
	size_t size, length;
};

static void put(struct line *line, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++, line->length++)
		if (line->length < line->size)
			line->text[line->length] = text[i];
}

static void put_text(struct line *line, const struct field *field, const char *text)
{
	int length = (int)strlen(text);
	/* Zeros are digits: they go after a number's sign or base. */
	int front = !field->zeros ? 0 : *text == '-' ? 1 : strncmp(text, "0x", 2) == 0 ? 2 : 0;

	put(line, text, (size_t)front);
	for (int i = length; field->right && i < field->width; i++)
		put(line, field->zeros ? "0" : " ", 1);
	put(line, text + front, (size_t)(length - front));
	for (int i = length; !field->right && i < field->width; i++)
		put(line, " ", 1);
}

/* The letter of a name in braces; 0: there is no such name. */
static char letter_of(const char *name, size_t length)
{
	static const struct {
		const char *name;
		char letter;
	} known[] = {
		{"team_num", 't'},
		{"num_teams", 'T'},
		{"nesting_level", 'L'},
		{"thread_num", 'n'},
		{"num_threads", 'N'},
		{"ancestor_tnum", 'a'},
		{"host", 'H'},
		{"process_id", 'P'},
		{"native_thread_id", 'i'},
		{"thread_affinity", 'A'},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == length && memcmp(known[i].name, name, length) == 0)
			return known[i].letter;
	return '\0';
}

/* What differs between nodes stays off the program's stack. */
CAPE_APART(int, cape_affinity_process, (void))
{
	return (int)cape_getpid();
}

/* The name of this machine; in sequential code of node 0's. */
CAPE_APART_VOID(cape_affinity_host, (char *name, size_t size))
{
	struct utsname machine = {0};

	syscall(SYS_uname, &machine);
	cape_one_truth_value(cape_runtime_get(), machine.nodename, sizeof(machine.nodename),
			     "omp_display_affinity()");
	snprintf(name, size, "%s", machine.nodename);
}

/* The processors that the caller may run on. */
static void put_processors(struct line *line, const struct field *field)
{
	const struct cape_spots *spots = &cape_runtime_get()->openmp->spots;
	int spot = cape_constructs->seat().spot;
	char text[PROCESSORS_TEXT];

	snprintf(text, sizeof(text), "0-%d", omp_get_num_procs() - 1);
	if (spot >= 0) {
		cape_places_text(cape_places_set(spots, (unsigned)spot), spots->words, false, text,
				 sizeof(text));
	} else if (cape_runtime_get()->by_threads && cape_places_ask(cape_runtime_get())) {
		cape_places_text(spots->allowed, spots->words, false, text, sizeof(text));
	}
	put_text(line, field, text);
}

static void put_field(struct line *line, const struct field *field)
{
	char text[256] = "undefined";
	int number;

	switch (field->letter) {
	case 't':
		number = omp_get_team_num();
		break;
	case 'T':
		number = omp_get_num_teams();
		break;
	case 'L':
		number = omp_get_level();
		break;
	case 'n':
		number = omp_get_thread_num();
		break;
	case 'N':
		number = omp_get_num_threads();
		break;
	case 'a':
		number = omp_get_ancestor_thread_num(omp_get_level() - 1);
		break;
	case 'P':
		number = cape_affinity_process();
		break;
	case 'H':
		cape_affinity_host(text, sizeof(text));
		put_text(line, field, text);
		return;
	case 'i':
		snprintf(text, sizeof(text), "0x%lx", (unsigned long)pthread_self());
		put_text(line, field, text);
		return;
	case 'A':
		put_processors(line, field);
		return;
	default:
		put_text(line, field, text);
		return;
	}
	snprintf(text, sizeof(text), "%d", number);
	put_text(line, field, text);
}

/* Reads what stands after a '%'; returns where it ends. */
static const char *read_field(const char *at, struct field *field)
{
	const char *end;

	*field = (struct field){0};
	if (*at == '0') {
		field->zeros = true;
		at++;
	}
	if (*at == '.') {
		field->right = true;
		at++;
	}
	field->zeros &= field->right;
	for (; *at >= '0' && *at <= '9'; at++)
		if (field->width < 1000)
			field->width = field->width * 10 + *at - '0';
	if (*at != '{') {
		field->letter = *at;
		return *at ? at + 1 : at;
	}
	end = strchr(at, '}');
	if (!end)
		return at + strlen(at);
	field->letter = letter_of(at + 1, (size_t)(end - at - 1));
	return end + 1;
}

static void expand(struct line *line, const char *format)
{
	while (*format) {
		size_t plain = strcspn(format, "%");
		struct field field;

		put(line, format, plain);
		format += plain;
		if (!*format)
			break;
		if (format[1] == '%') {
			put(line, "%", 1);
			format += 2;
			continue;
		}
		format = read_field(format + 1, &field);
		put_field(line, &field);
	}
}

const char *cape_affinity_format(const struct cape_runtime *runtime)
{
	const char *format = runtime->openmp->affinity_format;

	return *format ? format : "level %L thread %i affinity %A";
}

/* Ends the text that a line was put into; returns its whole length. */
static size_t finish(const struct line *line, size_t size)
{
	if (size)
		line->text[line->length < line->size ? line->length : line->size] = '\0';
	return line->length;
}

CAPE_EXPORT void omp_set_affinity_format(const char *format)
{
	snprintf(cape_runtime_get()->openmp->affinity_format, CAPE_AFFINITY_FORMAT, "%s", format);
}

CAPE_EXPORT size_t omp_get_affinity_format(char *text, size_t size)
{
	const char *format = cape_affinity_format(cape_runtime_get());
	struct line line = {text, size ? size - 1 : 0, 0};

	put(&line, format, strlen(format));
	return finish(&line, size);
}

CAPE_EXPORT size_t omp_capture_affinity(char *text, size_t size, const char *format)
{
	struct line line = {text, size ? size - 1 : 0, 0};

	expand(&line, format && *format ? format : cape_affinity_format(cape_runtime_get()));
	return finish(&line, size);
}

CAPE_EXPORT void omp_display_affinity(const char *format)
{
	char text[2048];

	omp_capture_affinity(text, sizeof(text), format);
	dprintf(STDERR_FILENO, "%s\n", text);
}
