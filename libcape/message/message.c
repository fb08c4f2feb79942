/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * message.c - building and reading a node's message of a sync point.
 */
#include "message/message.h"

#include <string.h>

void cape_message_begin(struct cape_message_writer *writer, struct cape_channel *channel,
			enum cape_sync_kind kind)
{
	struct cape_message *header;

	writer->channel = channel;
	writer->start = (unsigned char *)channel + CAPE_CHANNEL_OUT;
	writer->used = sizeof(*header);
	header = cape_message_header(writer);
	memset(header, 0, sizeof(*header));
	header->kind = kind;
}

struct cape_message *cape_message_header(const struct cape_message_writer *writer)
{
	return (struct cape_message *)writer->start;
}

void *cape_message_section(struct cape_message_writer *writer, enum cape_section section,
			   uint64_t size)
{
	void *at = writer->start + writer->used;

	if (size > CAPE_CHANNEL_LIMIT - CAPE_CHANNEL_OUT - writer->used)
		return NULL;
	cape_message_header(writer)->size[section] = size;
	writer->used += cape_message_padded(size);
	return at;
}

void cape_message_end(struct cape_message_writer *writer)
{
	writer->channel->out_size = writer->used;
}

const struct cape_message *cape_message_of(const struct cape_channel *channel, uint32_t node)
{
	const uint64_t most = CAPE_CHANNEL_SIZE - CAPE_CHANNEL_IN;
	struct cape_channel_message in = channel->in[node];
	const struct cape_message *message;
	uint64_t left;

	if (node == channel->node)
		return (const struct cape_message *)((const char *)channel + CAPE_CHANNEL_OUT);
	if (in.size < sizeof(*message) || in.offset > most || in.size > most - in.offset)
		return NULL;
	message =
		(const struct cape_message *)((const char *)channel + CAPE_CHANNEL_IN + in.offset);
	left = in.size - sizeof(*message);
	for (int i = 0; i < CAPE_SECTIONS_COUNT; i++) {
		if (message->size[i] > left || cape_message_padded(message->size[i]) > left)
			return NULL;
		left -= cape_message_padded(message->size[i]);
	}
	return message;
}

const unsigned char *cape_message_get(const struct cape_message *message, enum cape_section section)
{
	const unsigned char *at = (const unsigned char *)(message + 1);

	for (int i = 0; i < (int)section; i++)
		at += cape_message_padded(message->size[i]);
	return at;
}
