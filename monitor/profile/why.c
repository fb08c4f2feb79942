// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * why.c - why a construct costs what it does, in words: what was counted, and nothing else.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "tell.h"

#define NAMED_MOST   4	    /* nodes that are named one by one */
#define SHORT_FETCH  65536u /* fewer bytes, in ... */
#define MANY_FETCHES 16u    /* ... more fetches on each node, are worth a word */
#define LINE_SIZE    512
#define PAGE	     4096u

/* Where lines go. */
struct saying {
	const struct naming *naming;
	const struct sum *sum;
	const struct cape_profile_construct *construct;
	void (*say)(void *context, const char *line);
	void *context;
};

/* -- words ---------------------------------------------------------------------------------- */

/* "all nodes", "node 1", "nodes 0, 2 and 3", "7 nodes"; as many as the verb is to agree with. */
static const char *name_nodes(const struct sum *sum, const struct sum_nodes *nodes, char *text,
			      size_t size)
{
	size_t used = 0;
	int left = nodes->count;

	if (left == sum->nodes && left > 1)
		return "all nodes";
	if (left > NAMED_MOST) {
		snprintf(text, size, "%d nodes", left);
		return text;
	}
	used = (size_t)snprintf(text, size, left == 1 ? "node" : "nodes");
	for (int i = 0; i < sum->nodes; i++) {
		if (!sum_has(nodes, i))
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%d",
					 left == nodes->count ? " "
					 : left == 1	      ? " and "
							      : ", ",
					 i);
		left--;
	}
	return text;
}

/* -- reasons -------------------------------------------------------------------------------- */

/* In whole pages, as they are fetched; but of a short object, or of planned pieces, less comes. */
static uint64_t each_of(uint64_t bytes, uint64_t count)
{
	uint64_t each = bytes / (count ? count : 1);

	return each < PAGE ? each : (each + PAGE - 1) / PAGE * PAGE;
}

/* How little a fetch brings, if they are many. */
static void name_fetches(const struct sum_object *object, char *text, size_t size)
{
	uint64_t bytes = object->object.bytes[CAPE_TRAFFIC_FETCHED];
	uint64_t each = each_of(bytes, object->object.fetches);
	uint64_t stretch = each_of(bytes, object->object.stretches);
	uint64_t many = MANY_FETCHES * (uint64_t)object->who[CAPE_TRAFFIC_FETCHED].count;
	char bytes_text[16];
	size_t used = 0;

	text[0] = '\0';
	if (each < SHORT_FETCH && object->object.fetches >= many)
		used = (size_t)snprintf(text, size, ", %s at a time",
					naming_bytes(each, bytes_text));
	if (stretch < SHORT_FETCH && stretch < each && object->object.stretches >= many)
		snprintf(text + used, size - used, ", in pieces of %s",
			 naming_bytes(stretch, bytes_text));
}

static void say_fetched(const struct saying *saying, const struct sum_object *object,
			const char *name)
{
	const struct sum_nodes *who = &object->who[CAPE_TRAFFIC_FETCHED];
	char line[LINE_SIZE], nodes[64], size[16], fetches[80];

	name_fetches(object, fetches, sizeof(fetches));
	snprintf(line, sizeof(line), "%s fetch%s %s%s: %s%s",
		 name_nodes(saying->sum, who, nodes, sizeof(nodes)), who->count == 1 ? "es" : "",
		 object->whole.count == who->count ? "all of " : "parts of ", name,
		 naming_bytes(object->object.bytes[CAPE_TRAFFIC_FETCHED], size), fetches);
	saying->say(saying->context, line);
}

/* FORMAT is given the nodes, an s for one alone, the name and the bytes. */
__attribute__((format(printf, 4, 0))) static void say_sent(const struct saying *saying,
							   const struct sum_object *object,
							   enum cape_traffic traffic,
							   const char *format, const char *name)
{
	const struct sum_nodes *who = &object->who[traffic];
	char line[LINE_SIZE], nodes[64], size[16];

	snprintf(line, sizeof(line), format, name_nodes(saying->sum, who, nodes, sizeof(nodes)),
		 who->count == 1 ? "s" : "", name,
		 naming_bytes(object->object.bytes[traffic], size));
	saying->say(saying->context, line);
}

static void say_object(const struct saying *saying, const struct sum_object *object, uint64_t least)
{
	static const char *const format[CAPE_TRAFFICS] = {
		[CAPE_TRAFFIC_SENT] = "%s send%s to all what changed of %s: %s",
		[CAPE_TRAFFIC_PUSHED] = "%s send%s what changed of %s to those who fetched it: %s",
		[CAPE_TRAFFIC_CONTESTED] =
			"%s write%s to pages of %s that another node writes to, too: %s",
		[CAPE_TRAFFIC_SHARED] = "sequential code needs what %s changed%.0s of %s: %s",
	};
	char plain[320], name[336];

	for (int i = 0; i < CAPE_TRAFFICS; i++) {
		if (object->object.bytes[i] <= least)
			continue;
		snprintf(name, sizeof(name),
			 naming_tell(saying->naming, saying->construct, &object->object, plain,
				     sizeof(plain))
				 ? "`%s`"
				 : "%s",
			 plain);
		if (i == CAPE_TRAFFIC_FETCHED)
			say_fetched(saying, object, name);
		else
			say_sent(saying, object, (enum cape_traffic)i, format[i], name);
	}
}

/* A fifth more work than the mean, for which others wait. */
static void say_slowest(const struct saying *saying, const struct sum_construct *construct)
{
	const struct sum_time *work = &construct->time[CAPE_PHASE_WORK];
	uint64_t mean = work->all / (uint64_t)saying->sum->nodes;
	char line[LINE_SIZE];

	if (saying->sum->nodes == 1 || work->most - mean < mean / 5 ||
	    (work->most - mean) * 20 < construct->total.most)
		return;
	snprintf(line, sizeof(line), "%s %d works longest: %.4f s, %.4f s is the mean",
		 sum_word(saying->sum), work->node, (double)work->most * 1e-9, (double)mean * 1e-9);
	saying->say(saying->context, line);
}

/* Whether nodes shared out a loop that the program said nothing of. */
static bool is_unknown_loop(const struct saying *saying)
{
	const struct cape_profile_construct *construct = saying->construct;
	bool loop = !strcmp(construct->what, "for") || !strcmp(construct->what, "parallel for");
	uint64_t said = 0;

	for (int i = 0; i < CAPE_PLANNINGS; i++)
		said += construct->planning[i];
	return loop && !said && construct->sent_bytes + construct->fetched_bytes &&
	       saying->sum->nodes > 1 && !saying->sum->threads;
}

static void say_planned(const struct saying *saying)
{
	static const char *const why[CAPE_PLANNINGS] = {
		[CAPE_UNPLANNED_RUN] = "the run is saved, does not exchange by need (with atomic "
				       "updates or tasks in the program none does), or has more "
				       "than 64 nodes; or the program handles signals",
		[CAPE_UNPLANNED_TEAM] = "the team is smaller than the run",
		[CAPE_UNPLANNED_ORDER] = "its schedule is not static",
		[CAPE_UNPLANNED_BYTES] = "two nodes write to the same bytes, or one to what "
					 "decides on what is accessed",
		[CAPE_UNPLANNED_PARTS] = "what it accesses is in too many pieces",
		[CAPE_UNPLANNED_LOSS] = "it writes many small pieces, which are others each time, "
					"or which other code needs at once: planning did not pay",
		[CAPE_UNPLANNED_LISTS] = "pointers or lists in memory decide on what it accesses: "
					 "not all nodes have them, or on what it writes, or "
					 "they are others each time, or lie in memory that the "
					 "program maps; and all nodes have to know it",
		[CAPE_UNPLANNED_ONCE] = "it reads by lists in memory, which nodes go through when "
					"it comes again",
	};
	const uint64_t *times = saying->construct->planning;
	char line[LINE_SIZE];

	if (is_unknown_loop(saying))
		saying->say(saying->context, "not planned: cape-cc --explain says what stops that, "
					     "unless the program is built with --no-plan");
	if (times[CAPE_PLANNED]) {
		snprintf(line, sizeof(line),
			 "planned %" PRIu64 " times, %" PRIu64 " as before, %" PRIu64
			 " with nothing before the next sync point, %" PRIu64
			 " without waiting for all at its end",
			 times[CAPE_PLANNED], times[CAPE_PLANNED_AGAIN], times[CAPE_PLANNED_QUIET],
			 times[CAPE_PLANNED_SKIPPED]);
		saying->say(saying->context, line);
	}
	if (times[CAPE_REPLICATED]) {
		snprintf(line, sizeof(line),
			 "every node ran all of it, %" PRIu64 " times: to share it out took longer",
			 times[CAPE_REPLICATED]);
		saying->say(saying->context, line);
	}
	for (int i = 0; i < CAPE_PLANNINGS; i++) {
		if (!why[i] || !times[i])
			continue;
		snprintf(line, sizeof(line), "not planned, %" PRIu64 " times: %s", times[i],
			 why[i]);
		saying->say(saying->context, line);
	}
}

void tell_why(const struct naming *naming, const struct sum *sum,
	      const struct sum_construct *construct, bool small,
	      void (*say)(void *context, const char *line), void *context)
{
	struct saying saying = {naming, sum, &construct->construct, say, context};
	uint64_t all = construct->construct.sent_bytes + construct->construct.fetched_bytes;

	if (construct->construct.line)
		say_slowest(&saying, construct);
	say_planned(&saying);
	for (const struct sum_object *object = construct->objects; object; object = object->next)
		say_object(&saying, object, small ? 0 : all / 100);
}
