// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace.c - complete events ("ph": "X") with a process for each node, or a thread for each thread;
 * those of a construct hold those of what it does.
 */
#include "trace.h"

#include <inttypes.h>
#include <string.h>
#include "common/json.h"
#include "stream/relay.h"
#include "tell.h"

static ssize_t send_on(void *context, const char *text, size_t size)
{
	relay_trace(context, text, size);
	return (ssize_t)size;
}

static void name_node(const struct trace_file *trace, int node)
{
	const char *word = trace->threads ? "thread" : "node";

	fprintf(trace->out,
		"%s{\"ph\": \"M\", \"name\": \"%s_name\", \"pid\": %d, \"tid\": %d, "
		"\"args\": {\"name\": \"%s %d\"}}",
		node ? ",\n" : "", trace->threads ? "thread" : "process", trace->threads ? 0 : node,
		trace->threads ? node : 0, word, node);
}

void trace_begin(struct trace_file *trace, struct node *node, int nodes, bool threads)
{
	*trace = (struct trace_file){.node = node, .nodes = nodes, .threads = threads};
	if (node->rank == 0)
		trace->out = fopencookie(node, "w", (cookie_io_functions_t){.write = send_on});
	if (!trace->out)
		return;
	fprintf(trace->out, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n");
	for (int i = 0; i < nodes; i++)
		name_node(trace, i);
}

/* Microseconds, as the format wants them, to the nanosecond. */
static void put_time(FILE *out, const char *name, int64_t time)
{
	fprintf(out, ", \"%s\": %s%" PRIi64 ".%03d", name, time < 0 ? "-" : "",
		(time < 0 ? -time : time) / 1000, (int)((time < 0 ? -time : time) % 1000));
}

void trace_event(struct trace_file *trace, const struct sum *sum, int node, uint64_t zero,
		 const struct cape_profile_event *event)
{
	const struct sum_construct *construct;
	char place[192];
	bool whole = event->phase == CAPE_PHASE_WORK;
	struct json_field field[] = {{"name", JSON_TEXT, .text = place},
				     {"cat", JSON_TEXT, .text = whole ? "construct" : "phase"}};

	if (!trace->out || event->phase >= CAPE_PHASES)
		return;
	construct = sum_construct_of(sum, node, event->construct);
	if (!construct)
		return;
	if (whole)
		tell_place(&construct->construct, place, sizeof(place));
	else
		snprintf(place, sizeof(place), "%s", tell_phase((enum cape_phase)event->phase));
	fprintf(trace->out, ",\n{\"ph\": \"X\", \"pid\": %d, \"tid\": %d, ",
		trace->threads ? 0 : node, trace->threads ? node : 0);
	json_fields(trace->out, field, 2);
	put_time(trace->out, "ts", (int64_t)(event->start - zero));
	put_time(trace->out, "dur", (int64_t)event->length);
	fprintf(trace->out, "}");
	trace->events++;
}

void trace_end(struct trace_file *trace, uint64_t lost)
{
	trace->lost = lost;
	if (!trace->out)
		return;
	fprintf(trace->out, "\n], \"otherData\": {\"%ss\": %d, \"lost_events\": %" PRIu64 "}}\n",
		trace->threads ? "thread" : "node", trace->nodes, lost);
	fclose(trace->out);
}

void trace_tell(const struct trace_file *trace)
{
	if (trace->lost)
		fprintf(stderr,
			"cape-run: --profile: the trace holds the first %" PRIu64
			" events; the last %" PRIu64 " had no room\n",
			trace->events, trace->lost);
}
