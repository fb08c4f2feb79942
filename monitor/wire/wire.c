// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire.c - what is the same for every transport: waiting for several messages.
 */
#include "wire.h"

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
		error = wire->idle(wire->context, &patience);
		if (error)
			return error;
	}
}
