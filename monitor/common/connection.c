/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * connection.c - messages into and out of a non-blocking socket.
 */
#include "connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void connection_open(struct connection *connection, int socket)
{
	memset(connection, 0, sizeof(*connection));
	connection->socket = socket;
}

void connection_close(struct connection *connection)
{
	if (connection->socket >= 0)
		close(connection->socket);
	connection->socket = -1;
	free(connection->out);
	connection->out = NULL;
	connection->out_at = connection->out_end = connection->out_room = 0;
}

static int make_room(struct connection *connection, size_t size)
{
	size_t room = connection->out_room ? connection->out_room : 2 * CONNECTION_MOST;
	unsigned char *more;

	if (connection->out_at) {
		memmove(connection->out, connection->out + connection->out_at,
			connection_waiting(connection));
		connection->out_end -= connection->out_at;
		connection->out_at = 0;
	}
	while (room - connection->out_end < size)
		room *= 2;
	if (room == connection->out_room)
		return 0;
	more = realloc(connection->out, room);
	if (!more)
		return -ENOMEM;
	connection->out = more;
	connection->out_room = room;
	return 0;
}

int connection_put(struct connection *connection, enum connection_kind kind, const void *bytes,
		   size_t size)
{
	struct connection_head head = {kind, (uint32_t)size};

	if (connection->socket < 0)
		return -ENOTCONN;
	if (connection->out_room - connection->out_end < sizeof(head) + size &&
	    make_room(connection, sizeof(head) + size) < 0)
		return -ENOMEM;
	memcpy(connection->out + connection->out_end, &head, sizeof(head));
	if (size)
		memcpy(connection->out + connection->out_end + sizeof(head), bytes, size);
	connection->out_end += sizeof(head) + size;
	return connection_write(connection);
}

int connection_write(struct connection *connection)
{
	while (connection->socket >= 0 && connection_waiting(connection)) {
		ssize_t put = send(connection->socket, connection->out + connection->out_at,
				   connection_waiting(connection), MSG_DONTWAIT | MSG_NOSIGNAL);

		if (put < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		connection->out_at += (size_t)put;
	}
	connection->out_at = connection->out_end = 0;
	return 0;
}

size_t connection_waiting(const struct connection *connection)
{
	return connection->out_end - connection->out_at;
}

int connection_read(struct connection *connection,
		    void (*take)(void *context, enum connection_kind kind, const void *bytes,
				 size_t size),
		    void *context)
{
	struct connection_head head;
	size_t used = 0;
	ssize_t got;

	if (connection->socket < 0)
		return -ENOTCONN;
	got = recv(connection->socket, connection->in + connection->in_size,
		   sizeof(connection->in) - connection->in_size, MSG_DONTWAIT);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (got == 0)
		return -ECONNRESET;
	connection->in_size += (size_t)got;
	while (connection->in_size - used >= sizeof(head)) {
		memcpy(&head, connection->in + used, sizeof(head));
		if (head.kind >= CONNECTION_KINDS || head.size > CONNECTION_MOST)
			return -EPROTO;
		if (connection->in_size - used < sizeof(head) + head.size)
			break;
		take(context, (enum connection_kind)head.kind, connection->in + used + sizeof(head),
		     head.size);
		used += sizeof(head) + head.size;
	}
	connection->in_size -= used;
	memmove(connection->in, connection->in + used, connection->in_size);
	return 0;
}

uint64_t connection_number(const void *bytes, size_t size)
{
	uint64_t number = 0;

	memcpy(&number, bytes, size < sizeof(number) ? size : sizeof(number));
	return number;
}
