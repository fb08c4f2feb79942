// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forge.c - preloaded into monitors: what node FORGE_NODE's sends once is not what it meant to.
 *
 * FORGE: "link KIND HOW" for a message of service/ or fetch/, "wire TAG HOW" for one of the wire
 * over sockets, of a kind below.  HOW: "half" sends half of it, and closes, "twice" sends it twice,
 * "set FIELD VALUE" changes one of those below.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
/* Of the monitor. */
#include "fetch/serve.h"
#include "service/service_state.h"
#include "wire/wire.h"

#define HEAD sizeof(struct link_frame)

static int (*forge_with)(int socket, unsigned char *bytes, size_t size);
static const struct field *field;
static unsigned long long value;
static char stream[8], how[8];
static unsigned kind;

static const struct {
	const char *name;
	unsigned number;
} kinds[] = {
	{"any", 0},
	{"request", LINK_REQUEST},
	{"reply", LINK_REPLY},
	{"fetch", LINK_FETCH},
	{"bruck", WIRE_TAG_BRUCK},
	{"collect", WIRE_TAG_COLLECT},
};

#define IN(name, structure, member)                                                                \
	{                                                                                          \
		name, HEAD + offsetof(structure, member), sizeof(((structure *)NULL)->member)      \
	}
#define REQUEST(name, member) IN(name, struct passed_on, request.member)

static const struct field {
	const char *name;
	size_t offset, size;
} fields[] = {
	{"kind", 0, 4},
	{"zero", 4, 4},
	{"size", 8, 8},
	{"wire-size", 4, 4},
	{"first-bytes", HEAD, 8},
	REQUEST("request-kind", kind),
	REQUEST("tag", tag),
	REQUEST("seen", seen),
	REQUEST("payload", size),
	REQUEST("nodes", chunk.nodes),
	IN("version", struct wanted_body, version),
	IN("start", struct wanted_body, stretch[0].start),
	IN("end", struct wanted_body, stretch[0].end),
};

static void send_all(int socket, const unsigned char *bytes, size_t size)
{
	struct pollfd event = {.fd = socket, .events = POLLOUT};

	while (size) {
		ssize_t sent = write(socket, bytes, size);

		if (sent < 0 && errno != EAGAIN)
			return;
		if (sent < 0)
			poll(&event, 1, -1);
		else
			bytes += sent, size -= (size_t)sent;
	}
}

static int half(int socket, unsigned char *bytes, size_t size)
{
	send_all(socket, bytes, size / 2);
	shutdown(socket, SHUT_WR);
	return 0;
}

static int twice(int socket, unsigned char *bytes, size_t size)
{
	send_all(socket, bytes, size);
	send_all(socket, bytes, size);
	return 0;
}

static int set(int socket, unsigned char *bytes, size_t size)
{
	if (field->offset + field->size > size)
		return -1;
	memcpy(bytes + field->offset, &value, field->size);
	send_all(socket, bytes, size);
	return 0;
}

/* What cannot be forged ends the monitor, and so the test fails. */
static void choose(const char *forge)
{
	char of[16], to[16] = "";

	sscanf(forge, "%7s %15s %7s %15s %lli", stream, of, how, to, (long long *)&value);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, of) == 0)
			kind = kinds[i].number;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strcmp(fields[i].name, to) == 0)
			field = &fields[i];
	if ((!kind && strcmp(of, "any") != 0) || (!field && strcmp(how, "set") == 0))
		_exit(0);
	forge_with = strcmp(how, "set") == 0 ? set : strcmp(how, "twice") == 0 ? twice : half;
}

__attribute__((constructor)) static void start(void)
{
	const char *forge = getenv("FORGE"), *node = getenv("FORGE_NODE");
	const char *own = getenv("OMPI_COMM_WORLD_RANK");

	if (forge && node && own && strcmp(own, node) == 0 &&
	    strcmp(program_invocation_short_name, "cape-monitor") == 0)
		choose(forge);
}

/* Whether it is one, as a whole, by its head. */
static int is_meant(const unsigned char *bytes, size_t size)
{
	uint32_t first[2];
	uint64_t second;

	/* What another thread sends passes through. */
	if (!forge_with || size < HEAD || gettid() != getpid())
		return 0;
	memcpy(first, bytes, sizeof(first));
	memcpy(&second, bytes + sizeof(first), sizeof(second));
	if (strcmp(stream, "link") == 0 ? first[1] || second != size - HEAD || !first[0]
					: first[1] != size - HEAD || !first[1])
		return 0;
	return !kind || first[0] == kind;
}

/* Whether BYTES went in another way. */
static int forge(int socket, unsigned char *bytes, size_t size)
{
	int (*with)(int, unsigned char *, size_t) = forge_with;

	if (!is_meant(bytes, size))
		return 0;
	forge_with = NULL;
	if (with(socket, bytes, size) == 0)
		return 1;
	forge_with = with;
	return 0;
}

ssize_t send(int socket, const void *bytes, size_t size, int flags)
{
	ssize_t (*own)(int, const void *, size_t, int) =
		(ssize_t(*)(int, const void *, size_t, int))dlsym(RTLD_NEXT, "send");
	unsigned char *copy = forge_with ? malloc(size) : NULL;

	if (copy && forge(socket, memcpy(copy, bytes, size), size))
		return (ssize_t)size;
	free(copy);
	return own(socket, bytes, size, flags);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
	ssize_t (*own)(int, const struct msghdr *, int) =
		(ssize_t(*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
	unsigned char *bytes;
	size_t size = 0, at = 0;

	for (size_t i = 0; i < message->msg_iovlen; i++)
		size += message->msg_iov[i].iov_len;
	bytes = forge_with ? malloc(size) : NULL;
	for (size_t i = 0; bytes && i < message->msg_iovlen; i++) {
		memcpy(bytes + at, message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
		at += message->msg_iov[i].iov_len;
	}
	if (bytes && forge(socket, bytes, size))
		return (ssize_t)size;
	free(bytes);
	return own(socket, message, flags);
}
