// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_link.c - frames out of and into a non-blocking socket.
 *
 * Large bodies are sent from where they lie and received where they belong.
 */
#include "service_link.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for a body beyond this is given back. */
#define ROOM_KEPT 65536

int link_open(struct link *link, int socket, int events, uint32_t number, uint64_t *sent)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};

	link->socket = socket;
	link->events = events;
	link->number = number;
	link->sent = sent;
	link->wants = EPOLLIN;
	return epoll_ctl(events, EPOLL_CTL_ADD, socket, &event) < 0 ? -errno : 0;
}

void link_close(struct link *link)
{
	if (link->socket >= 0)
		close(link->socket);
	link->socket = -1;
	free(link->room);
	link->room = NULL;
	link->room_size = 0;
	free(link->piece);
	link->piece = NULL;
}

static void watch(struct link *link)
{
	bool writes = link->small_size || link->piece;
	struct epoll_event event = {
		.events = (link->held ? 0u : EPOLLIN) | (writes ? EPOLLOUT : 0u),
		.data.u32 = link->number,
	};

	if (link->wants != event.events)
		epoll_ctl(link->events, EPOLL_CTL_MOD, link->socket, &event);
	link->wants = event.events;
}

static ssize_t send_pieces(struct link *link)
{
	size_t count = link->piece_count - link->piece_at;
	struct msghdr message = {
		.msg_iov = link->piece + link->piece_at,
		.msg_iovlen = count < IOV_MAX ? count : IOV_MAX,
	};

	return sendmsg(link->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void pieces_sent(struct link *link, size_t size)
{
	link->begun = true;
	while (link->piece_at < link->piece_count && size >= link->piece[link->piece_at].iov_len)
		size -= link->piece[link->piece_at++].iov_len;
	if (link->piece_at == link->piece_count) {
		free(link->piece);
		link->piece = NULL;
		link->begun = false;
	} else {
		struct iovec *piece = &link->piece[link->piece_at];

		piece->iov_base = (char *)piece->iov_base + size;
		piece->iov_len -= size;
	}
}

int link_write(struct link *link)
{
	while (link->small_size || link->piece) {
		/* A small message does not cut into a large one. */
		bool small = link->small_size && !link->begun;
		ssize_t sent = small ? send(link->socket, link->small, link->small_size,
					    MSG_DONTWAIT | MSG_NOSIGNAL)
				     : send_pieces(link);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno == EAGAIN)
			break;
		if (sent < 0)
			return -errno;
		*link->sent += (uint64_t)sent;
		if (small) {
			link->small_size -= (size_t)sent;
			memmove(link->small, link->small + sent, link->small_size);
		} else {
			pieces_sent(link, (size_t)sent);
		}
	}
	watch(link);
	return 0;
}

int link_put(struct link *link, enum link_kind kind, const void *bytes, size_t size)
{
	struct link_frame frame = {.kind = kind, .size = size};

	if (link->socket < 0)
		return -ENOTCONN;
	if (size > sizeof(link->small) - sizeof(frame) ||
	    link->small_size > sizeof(link->small) - sizeof(frame) - size)
		return -ENOBUFS;
	memcpy(link->small + link->small_size, &frame, sizeof(frame));
	memcpy(link->small + link->small_size + sizeof(frame), bytes, size);
	link->small_size += sizeof(frame) + size;
	return link_write(link);
}

int link_send(struct link *link, enum link_kind kind, struct iovec *piece, size_t count)
{
	if (link->socket < 0 || link->piece) {
		free(piece);
		return link->socket < 0 ? -ENOTCONN : -EBUSY;
	}
	link->head = (struct link_frame){.kind = kind};
	for (size_t i = 1; i < count; i++)
		link->head.size += piece[i].iov_len;
	piece[0] = (struct iovec){.iov_base = &link->head, .iov_len = sizeof(link->head)};
	link->piece = piece;
	link->piece_count = count;
	link->piece_at = 0;
	return link_write(link);
}

bool link_busy(const struct link *link)
{
	return link->piece != NULL;
}

static int make_room(struct link *link, uint64_t size)
{
	unsigned char *room;

	if (size <= link->room_size)
		return 0;
	room = malloc(size);
	if (!room)
		return -ENOMEM;
	free(link->room);
	link->room = room;
	link->room_size = size;
	return 0;
}

/* The next frame, if all of it is here. */
static int begin_frame(struct link *link, const struct link_reader *reader, size_t *used)
{
	if (link->received_size - *used < sizeof(link->frame))
		return 0;
	memcpy(&link->frame, link->received + *used, sizeof(link->frame));
	*used += sizeof(link->frame);
	link->body_size = 0;
	if (!link->frame.kind || link->frame.zero)
		return -EPROTO;
	link->body = reader->place(reader->context, link, &link->frame);
	if (link->body)
		return 0;
	if (link->frame.size > reader->limit)
		return -EMSGSIZE;
	if (make_room(link, link->frame.size) < 0)
		return -ENOMEM;
	link->body = link->room;
	return 0;
}

static int end_frame(struct link *link, const struct link_reader *reader)
{
	int result = reader->take(reader->context, link, &link->frame, link->body);

	link->held = result == LINK_LATER;
	if (link->held)
		return result;
	link->frame.kind = 0;
	if (link->room_size > ROOM_KEPT) {
		free(link->room);
		link->room = NULL;
		link->room_size = 0;
	}
	return result;
}

/* Sorts what was received into bodies. */
static int take_received(struct link *link, const struct link_reader *reader)
{
	size_t used = 0;
	int error = 0;

	while (!error) {
		uint64_t missing;
		size_t here;

		if (!link->frame.kind)
			error = begin_frame(link, reader, &used);
		if (error || !link->frame.kind)
			break;
		missing = link->frame.size - link->body_size;
		here = link->received_size - used;
		if (here > missing)
			here = (size_t)missing;
		if (here)
			memcpy(link->body + link->body_size, link->received + used, here);
		used += here;
		link->body_size += here;
		if (here < missing)
			break;
		error = end_frame(link, reader);
	}
	link->received_size -= used;
	memmove(link->received, link->received + used, link->received_size);
	return error;
}

/* A held message ends reading without being an error. */
static int read_as_far(struct link *link, int result)
{
	if (result >= 0)
		watch(link);
	return result < 0 ? result : 0;
}

int link_read(struct link *link, const struct link_reader *reader)
{
	uint64_t missing = link->frame.size - link->body_size;
	bool straight = link->frame.kind && missing >= sizeof(link->received);
	unsigned char *to =
		straight ? link->body + link->body_size : link->received + link->received_size;
	size_t size = straight ? (size_t)missing : sizeof(link->received) - link->received_size;
	ssize_t got;

	if (link->held)
		return 0;
	got = recv(link->socket, to, size, MSG_DONTWAIT);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (got == 0)
		return -ECONNRESET;
	if (!straight) {
		link->received_size += (size_t)got;
		return read_as_far(link, take_received(link, reader));
	}
	link->body_size += (size_t)got;
	return link->body_size == link->frame.size ? read_as_far(link, end_frame(link, reader)) : 0;
}

int link_again(struct link *link, const struct link_reader *reader)
{
	int result = link->held ? end_frame(link, reader) : 0;

	if (!result)
		result = take_received(link, reader);
	return read_as_far(link, result);
}
