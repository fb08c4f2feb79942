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

/* The segments in flight to or from one node, oldest first; all zero: none yet. */
struct window {
	struct wire_request request[WINDOW_LIMIT];
	uint64_t begun, ended; /* segments */
};

static inline bool window_is_full(const struct window *window)
{
	return window->begun - window->ended == WINDOW_LIMIT;
}

static inline bool window_is_empty(const struct window *window)
{
	return window->begun == window->ended;
}

/* The request of the segment that begins now. */
static inline struct wire_request *window_begin(struct window *window)
{
	return &window->request[window->begun++ % WINDOW_LIMIT];
}

/* Counts those that are done; a segment is done when all before it are. */
static inline void window_reap(struct wire *wire, struct window *window)
{
	while (window->ended < window->begun &&
	       wire_test(wire, &window->request[window->ended % WINDOW_LIMIT]))
		window->ended++;
}

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
