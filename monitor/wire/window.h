/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window.h - a large message as a stream of segments, some of them in flight.
 */
#ifndef CAPE_WINDOW_H
#define CAPE_WINDOW_H

#include "wire.h"

/*
 * Bytes.  Two-way traffic with one peer over TCP runs half-duplex unless it is cut up, and from
 * 64 KB on Open MPI makes a round trip for each message.
 */
#define WINDOW_SEGMENT 32768
#define WINDOW_LIMIT   16 /* segments in flight */

/* What a window needs of memory, where segments are packed. */
#define WINDOW_ROOM ((size_t)WINDOW_LIMIT * WINDOW_SEGMENT)

/* The segments in flight to or from one node, oldest first; all zero: none yet. */
struct window {
	struct wire_request request[WINDOW_LIMIT];
	uint64_t begun, ended; /* segments */
	unsigned char *room;   /* NULL: they are not packed */
	/* Those that are received packed: where they belong. */
	struct {
		unsigned char *to;
		size_t length;
	} segment[WINDOW_LIMIT];
};

static inline bool window_is_full(const struct window *window)
{
	return window->begun - window->ended == WINDOW_LIMIT;
}

static inline bool window_is_empty(const struct window *window)
{
	return window->begun == window->ended;
}

/* Begins to send LENGTH bytes to another node; returns how many go. */
size_t window_send(struct wire *wire, struct window *window, const unsigned char *bytes,
		   size_t length, int to, enum wire_tag tag);
void window_receive(struct wire *wire, struct window *window, unsigned char *bytes, size_t length,
		    int from, enum wire_tag tag);

/* Counts those that are done; a segment is done when all before it are.  0 or -EPROTO. */
int window_reap(struct wire *wire, struct window *window);

/* Segments of a message of SIZE bytes, and the length of one of them. */
static inline uint64_t window_segments(uint64_t size)
{
	return (size + WINDOW_SEGMENT - 1) / WINDOW_SEGMENT;
}

static inline size_t window_segment_length(uint64_t size, uint64_t segment)
{
	uint64_t left = size - segment * WINDOW_SEGMENT;

	return left < WINDOW_SEGMENT ? left : WINDOW_SEGMENT;
}

#endif
