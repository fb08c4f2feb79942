// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * window.c - sending and receiving the segments of a window, packed where that makes them less.
 */
#include "window.h"

#include <errno.h>
#include <string.h>
#include "checkpoint/pack.h"

/* Where a segment is while it is packed; NULL: none is. */
static unsigned char *room_of(const struct window *window, uint64_t segment)
{
	return window->room ? window->room + segment % WINDOW_LIMIT * WINDOW_SEGMENT : NULL;
}

size_t window_send(struct wire *wire, struct window *window, const unsigned char *bytes,
		   size_t length, int to, enum wire_tag tag)
{
	struct wire_request *request = &window->request[window->begun % WINDOW_LIMIT];
	unsigned char *room = room_of(window, window->begun);
	size_t packed = room ? cape_pack(bytes, length, room) : 0;

	window->begun++;
	wire_send(wire, packed ? room : bytes, packed ? packed : length, to, tag, request);
	return packed ? packed : length;
}

void window_receive(struct wire *wire, struct window *window, unsigned char *bytes, size_t length,
		    int from, enum wire_tag tag)
{
	uint64_t slot = window->begun % WINDOW_LIMIT;

	window->segment[slot].to = bytes;
	window->segment[slot].length = length;
	if (window->room)
		bytes = room_of(window, window->begun);
	window->begun++;
	wire_receive(wire, bytes, length, from, tag, &window->request[slot]);
}

/* A segment that is as long as it was is not packed. */
static int take(const struct window *window, uint64_t segment)
{
	uint64_t slot = segment % WINDOW_LIMIT;
	size_t size = window->request[slot].size, length = window->segment[slot].length;
	unsigned char *to = window->segment[slot].to;

	if (size == length) {
		memcpy(to, room_of(window, segment), length);
		return 0;
	}
	return cape_unpack(room_of(window, segment), size, to, length);
}

int window_reap(struct wire *wire, struct window *window)
{
	while (window->ended < window->begun &&
	       wire_test(wire, &window->request[window->ended % WINDOW_LIMIT])) {
		int error = 0;

		if (window->room && window->segment[window->ended % WINDOW_LIMIT].to)
			error = take(window, window->ended);
		if (error)
			return error;
		window->ended++;
	}
	return 0;
}
