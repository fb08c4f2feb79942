// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table.c - the profile for people.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "tell.h"

#define PLACE_LEAST 22
#define PLACE_MOST  44

const char *tell_phase(enum cape_phase phase)
{
	static const char *const name[CAPE_PHASES] = {
		[CAPE_PHASE_WORK] = "work",	    [CAPE_PHASE_FIND] = "find",
		[CAPE_PHASE_EXCHANGE] = "exchange", [CAPE_PHASE_MERGE] = "merge",
		[CAPE_PHASE_FETCH] = "fetch",	    [CAPE_PHASE_WAIT] = "wait",
	};

	return name[phase];
}

void tell_place(const struct cape_profile_construct *construct, char *text, size_t size)
{
	if (construct->line)
		snprintf(text, size, "%s:%d %s", construct->file, construct->line, construct->what);
	else
		snprintf(text, size, "%s", construct->what);
}

/* How wide the first column is. */
static int width_of(const struct sum *sum)
{
	int width = PLACE_LEAST;

	for (size_t i = 0; i < sum->count; i++) {
		char place[192];
		int length;

		tell_place(&sum->construct[i].construct, place, sizeof(place));
		length = (int)strlen(place);
		if (length > width)
			width = length < PLACE_MOST ? length : PLACE_MOST;
	}
	return width;
}

/* Threads of one node find, send and fetch nothing. */
static bool is_column(const struct sum *sum, int phase)
{
	return !sum->threads || phase < 0 || phase == CAPE_PHASE_WORK || phase == CAPE_PHASE_WAIT;
}

static void print_heading(const struct naming *naming, const struct sum *sum, int width)
{
	if (naming->node->failed && !sum->threads)
		fprintf(stderr, "profile of node 0 alone, until the run failed\n");
	else
		fprintf(stderr, "profile of %d %s%s%s\n", sum->nodes, sum_word(sum),
			sum->nodes > 1 ? "s" : "",
			naming->node->failed ? ", until the run failed" : "");
	fprintf(stderr, "%-*s %9s %9s", width, "", "sync", "seconds:");
	if (sum->nodes > 1)
		fprintf(stderr, " of the %s with most; below, the mean of all", sum_word(sum));
	fprintf(stderr, "\n");
	fprintf(stderr, "%-*s %9s %9s", width, "construct", "points", "total");
	for (int phase = 0; phase < CAPE_PHASES; phase++)
		if (is_column(sum, phase))
			fprintf(stderr, " %9s", tell_phase((enum cape_phase)phase));
	if (!sum->threads)
		fprintf(stderr, " %8s %8s", "sent", "fetched");
	fprintf(stderr, "\n");
}

static void print_times(const struct sum *sum, const struct sum_construct *construct, bool mean)
{
	for (int phase = -1; phase < CAPE_PHASES; phase++) {
		const struct sum_time *time =
			phase < 0 ? &construct->total : &construct->time[phase];
		double value = mean ? (double)time->all / sum->nodes : (double)time->most;

		if (is_column(sum, phase))
			fprintf(stderr, " %9.4f", value * 1e-9);
	}
}

static void print_line(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "    %s\n", line);
}

static void print_construct(const struct naming *naming, const struct sum *sum,
			    const struct sum_construct *construct, int width)
{
	char place[192], sent[16], fetched[16];
	size_t length, skip;

	tell_place(&construct->construct, place, sizeof(place));
	length = strlen(place);
	skip = length > (size_t)width ? length - (size_t)width : 0;
	fprintf(stderr, "%-*s %9" PRIu64, width, place + skip, construct->sync_points);
	print_times(sum, construct, false);
	if (!sum->threads)
		fprintf(stderr, " %8s %8s", naming_bytes(construct->construct.sent_bytes, sent),
			naming_bytes(construct->construct.fetched_bytes, fetched));
	fprintf(stderr, "\n");
	if (sum->nodes > 1) {
		fprintf(stderr, "%-*s %9s", width, "", "");
		print_times(sum, construct, true);
		fprintf(stderr, "\n");
	}
	tell_why(naming, sum, construct, false, print_line, NULL);
}

void tell_table(const struct naming *naming, const struct sum *sum)
{
	int width = width_of(sum);

	print_heading(naming, sum, width);
	for (size_t i = 1; i < sum->count; i++)
		print_construct(naming, sum, &sum->construct[i], width);
	if (sum->count)
		print_construct(naming, sum, &sum->construct[0], width);
	if (sum->lost_constructs)
		fprintf(stderr, "more than %u constructs: the others have one line together\n",
			CAPE_PROFILE_CONSTRUCTS - 2);
	if (sum->lost_objects)
		fprintf(stderr, "more than %u variables and blocks: the others are left out\n",
			CAPE_PROFILE_OBJECTS);
}
