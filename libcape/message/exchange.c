// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * exchange.c - all nodes' messages to all nodes, and whether they are of one place.
 */
#include "message/exchange.h"

#include <stdio.h>
#include <string.h>
#include "base/model.h"
#include "message/port.h"
#include "profile/profile.h"

CAPE_PART(exchange, NULL);

void cape_exchange_put_place(struct cape_message *header, const struct cape_place *place)
{
	size_t length = strlen(place->file);
	size_t skip = length < sizeof(header->file) ? 0 : length - sizeof(header->file) + 1;

	header->line = place->line;
	memcpy(header->file, place->file + skip, length - skip + 1);
}

void *cape_exchange_section(struct cape_runtime *runtime, struct cape_message_writer *writer,
			    enum cape_section section, uint64_t size)
{
	void *at = cape_message_section(writer, section, size);

	if (!at)
		cape_fail(runtime, 0, "a checkpoint of %llu bytes is more than CAPE can send",
			  (unsigned long long)size);
	return at;
}

void cape_exchange_put(struct cape_runtime *runtime, struct cape_message_writer *writer,
		       enum cape_section section, const void *bytes, uint64_t size)
{
	memcpy(cape_exchange_section(runtime, writer, section, size), bytes, size);
}

unsigned cape_exchange_senders(const struct cape_runtime *runtime)
{
	return runtime->exchange->by_master ? 1 : runtime->nodes;
}

const struct cape_message *cape_exchange_message(struct cape_runtime *runtime, unsigned node)
{
	const struct cape_message *message = cape_message_of(runtime->channel, node);

	if (!message)
		cape_fail(runtime, 0, "the message of node %u is malformed", node);
	return message;
}

/* A node outside the team verifies at the construct where it waits. */
static bool same_place(const struct cape_message *a, const struct cape_message *b)
{
	return a->kind == b->kind && a->sequence == b->sequence &&
	       (a->kind == CAPE_SYNC_VERIFY || a->kind == CAPE_SYNC_CHECK ||
		(a->line == b->line && strcmp(a->file, b->file) == 0));
}

/* One line for each node, as far as there is room in the message. */
static void fail_places(struct cape_runtime *runtime)
{
	char lines[900];
	size_t used = 0;

	lines[0] = '\0';
	for (unsigned node = 0; node < runtime->nodes && used < sizeof(lines) - 100; node++) {
		const struct cape_message *message = cape_exchange_message(runtime, node);

		used += (size_t)snprintf(lines + used, sizeof(lines) - used,
					 "\n  node %u waits at %.47s:%d", node, message->file,
					 message->line);
	}
	cape_fail(runtime, 0,
		  "nodes wait at different sync points; every node of a team must meet the same "
		  "ones%s",
		  lines);
}

/* All nodes of the team must have met the same construct; returns its kind. */
enum cape_sync_kind cape_exchange_check(struct cape_runtime *runtime)
{
	const struct cape_message *master = cape_exchange_message(runtime, 0);

	for (unsigned node = 1; node < cape_exchange_senders(runtime); node++) {
		const struct cape_message *other = cape_exchange_message(runtime, node);

		if (other->kind != CAPE_SYNC_OUTSIDE && !same_place(master, other))
			fail_places(runtime);
	}
	return master->kind;
}

void cape_exchange_profile(struct cape_runtime *runtime)
{
	uint64_t least = UINT64_MAX;

	/* Of those that a master has between them, none is about another's. */
	if (!cape_profile_is_on(runtime) || runtime->model->by_master)
		return;
	for (unsigned node = 0; node < cape_exchange_senders(runtime); node++) {
		const struct cape_message *message = cape_exchange_message(runtime, node);

		if (message->took < least)
			least = message->took;
	}
	cape_profile_exchanged(runtime, least);
}

void *cape_exchange_open(struct cape_runtime *runtime, struct cape_message_writer *writer,
			 enum cape_sync_kind kind, uint64_t length, const struct cape_place *place)
{
	cape_message_begin(writer, runtime->channel, kind);
	cape_exchange_put_place(cape_message_header(writer), place);
	cape_message_header(writer)->took = cape_profile_took(runtime);
	return cape_exchange_section(runtime, writer, CAPE_SECTION_FREE, length);
}

void cape_exchange_close(struct cape_runtime *runtime, struct cape_message_writer *writer)
{
	enum cape_phase phase = cape_profile_phase(runtime, CAPE_PHASE_EXCHANGE);

	cape_message_end(writer);
	if (runtime->nodes > 1)
		cape_port(runtime)->meet(runtime);
	cape_exchange_profile(runtime);
	cape_exchange_check(runtime);
	cape_profile_phase(runtime, phase);
}

void cape_exchange(struct cape_runtime *runtime, enum cape_sync_kind kind, const void *bytes,
		   uint64_t length, const struct cape_place *place)
{
	struct cape_message_writer writer;

	memcpy(cape_exchange_open(runtime, &writer, kind, length, place), bytes, length);
	cape_exchange_close(runtime, &writer);
}
