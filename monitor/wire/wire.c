// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire.c - what is the same for every transport: waiting for messages, and taking those that came.
 */
#include "wire.h"

#include "base/loop.h"
#include "common/clock.h"

/* Until a message that has begun to come is here, unless its sender is lost. */
#define RECEIVE_NS 1000000000ull

void wire_send(struct wire *wire, const void *bytes, size_t size, int to, enum wire_tag tag,
	       struct wire_request *request)
{
	*request = (struct wire_request){.pending = true};
	wire->ops->send(wire, bytes, size, to, tag, request);
}

void wire_receive(struct wire *wire, void *bytes, size_t size, int from, enum wire_tag tag,
		  struct wire_request *request)
{
	*request = (struct wire_request){.pending = true};
	wire->ops->receive(wire, bytes, size, from, tag, request);
}

void wire_send_until_taken(struct wire *wire, const void *bytes, size_t size, int to,
			   enum wire_tag tag, struct wire_request *request)
{
	*request = (struct wire_request){.pending = true};
	wire->ops->send_until_taken(wire, bytes, size, to, tag, request);
}

void wire_barrier(struct wire *wire, struct wire_request *request)
{
	*request = (struct wire_request){.pending = true};
	wire->ops->barrier(wire, request);
}

bool wire_is_here(struct wire *wire, enum wire_tag tag)
{
	int from;

	return wire->ops->probe(wire, tag, &from);
}

bool wire_take(struct wire *wire, void *bytes, size_t room, enum wire_tag tag, int *from,
	       size_t *size)
{
	struct wire_request request;

	if (!wire->ops->probe(wire, tag, from))
		return false;
	wire_receive(wire, bytes, room, *from, tag, &request);
	/* It is here: its bytes come as fast as they can be copied. */
	while (!wire_test(wire, &request))
		loop_yield(wire->loop);
	*size = request.size;
	return true;
}

bool wire_test(struct wire *wire, struct wire_request *request)
{
	if (request->pending)
		request->pending = !wire->ops->test(wire, request);
	return !request->pending;
}

int wire_wait(struct wire *wire, struct wire_request *request, size_t count)
{
	struct patience patience = {0};
	size_t done = 0;

	for (;;) {
		int error;

		while (done < count && wire_test(wire, &request[done]))
			done++;
		if (done == count)
			return 0;
		error = loop_pause(wire->loop, &patience);
		if (error)
			return error;
	}
}

int wire_join(struct wire *wire, int socket, int other, enum wire_beside what)
{
	return wire->ops->join ? wire->ops->join(wire, socket, other, what) : socket;
}

void wire_give_up(struct wire *wire, struct wire_request *request)
{
	uint64_t until = clock_now() + RECEIVE_NS;

	if (request->pending)
		wire->ops->cancel(wire, request);
	while (!wire_test(wire, request) && clock_now() < until)
		loop_yield(wire->loop);
}
