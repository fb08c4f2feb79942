// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine.c - the profile in JSON.
 */
#include <stdio.h>
#include "common/json.h"
#include "tell.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void put_times(const struct sum_construct *construct, int nodes)
{
	for (int phase = -1; phase < CAPE_PHASES; phase++) {
		const struct sum_time *time =
			phase < 0 ? &construct->total : &construct->time[phase];
		struct json_field field[] = {
			{"max", JSON_SECONDS, .number = time->most},
			{"mean", JSON_SECONDS, .number = time->all / (uint64_t)nodes},
		};

		fprintf(stderr, ",\n   \"%s_seconds\": {",
			phase < 0 ? "total" : tell_phase((enum cape_phase)phase));
		json_fields(stderr, field, COUNT(field));
		fprintf(stderr, "}");
	}
}

static void put_object(const struct naming *naming, const struct sum_construct *construct,
		       const struct sum_object *object)
{
	const uint64_t *bytes = object->object.bytes;
	char name[320];
	struct json_field field[] = {
		{"name", JSON_TEXT, .text = name},
		{"bytes", .number = object->object.size},
		{"fetched_bytes", .number = bytes[CAPE_TRAFFIC_FETCHED]},
		{"fetches", .number = object->object.fetches},
		{"stretches", .number = object->object.stretches},
		{"fetching_nodes", .number = (uint64_t)object->who[CAPE_TRAFFIC_FETCHED].count},
		{"whole_on_nodes", .number = (uint64_t)object->whole.count},
		{"sent_to_all_bytes", .number = bytes[CAPE_TRAFFIC_SENT]},
		{"pushed_bytes", .number = bytes[CAPE_TRAFFIC_PUSHED]},
		{"contested_bytes", .number = bytes[CAPE_TRAFFIC_CONTESTED]},
		{"shared_bytes", .number = bytes[CAPE_TRAFFIC_SHARED]},
	};

	naming_tell(naming, &construct->construct, &object->object, name, sizeof(name));
	json_fields(stderr, field, COUNT(field));
}

static void put_line(void *context, const char *line)
{
	bool *first = context;

	fprintf(stderr, "%s\n    ", *first ? "" : ",");
	json_text(stderr, line);
	*first = false;
}

static void put_construct(const struct naming *naming, const struct sum *sum,
			  const struct sum_construct *construct)
{
	const struct cape_profile_construct *of = &construct->construct;
	struct json_field field[] = {
		{"file", JSON_TEXT, .text = of->file},
		{"line", .number = (uint64_t)of->line},
		{"construct", JSON_TEXT, .text = of->what},
		{"times", .number = construct->times},
		{"sync_points", .number = construct->sync_points},
		{"sent_bytes", .number = of->sent_bytes},
		{"fetched_bytes", .number = of->fetched_bytes},
		{"fetches", .number = of->fetches},
		{"planned", .number = of->planning[CAPE_PLANNED]},
		{"planned_again", .number = of->planning[CAPE_PLANNED_AGAIN]},
		{"planned_quiet", .number = of->planning[CAPE_PLANNED_QUIET]},
		{"planned_skipped", .number = of->planning[CAPE_PLANNED_SKIPPED]},
		{"replicated", .number = of->planning[CAPE_REPLICATED]},
	};
	bool first = true;

	fprintf(stderr, "{");
	json_fields(stderr, field, COUNT(field));
	put_times(construct, sum->nodes);
	fprintf(stderr, ",\n   \"memory\": [");
	for (const struct sum_object *object = construct->objects; object; object = object->next) {
		fprintf(stderr, "%s\n    {", object == construct->objects ? "" : ",");
		put_object(naming, construct, object);
		fprintf(stderr, "}");
	}
	fprintf(stderr, "],\n   \"why\": [");
	tell_why(naming, sum, construct, true, put_line, &first);
	fprintf(stderr, "]}");
}

void tell_json(const struct naming *naming, const struct sum *sum)
{
	struct json_field field[] = {
		{"nodes", .number = sum->threads ? 1 : (uint64_t)sum->nodes},
		{"threads", .number = sum->threads ? (uint64_t)sum->nodes : 1},
		{"failed", JSON_FLAG, .number = naming->node->failed},
		{"lost_constructs", .number = sum->lost_constructs},
		{"lost_objects", .number = sum->lost_objects},
	};

	fprintf(stderr, "{");
	json_fields(stderr, field, COUNT(field));
	fprintf(stderr, ",\n \"constructs\": [");
	for (size_t i = 1; i < sum->count; i++) {
		fprintf(stderr, "%s\n  ", i > 1 ? "," : "");
		put_construct(naming, sum, &sum->construct[i]);
	}
	fprintf(stderr, "]");
	if (sum->count) {
		fprintf(stderr, ",\n \"outside\": ");
		put_construct(naming, sum, &sum->construct[0]);
	}
	fprintf(stderr, "}\n");
}
