// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ahead.c - several rows of pages at once, each of which doubles its step with each fault that
 * comes where it was expected.
 */
#include "ahead.h"

#include <stddef.h>
#include "capture.h"

static struct ahead_stream *find(struct ahead *ahead, uint64_t page)
{
	for (unsigned i = 0; i < AHEAD_STREAMS; i++)
		if (ahead->stream[i].next == page)
			return &ahead->stream[i];
	return NULL;
}

uint64_t ahead_pages(struct ahead *ahead, uint64_t page)
{
	const struct ahead_stream *stream = find(ahead, page);

	if (!stream)
		return 1;
	return 2 * stream->pages < AHEAD_MOST ? 2 * stream->pages : AHEAD_MOST;
}

void ahead_opened(struct ahead *ahead, uint64_t page, uint64_t end)
{
	struct ahead_stream *stream = find(ahead, page);

	if (!stream) {
		stream = &ahead->stream[ahead->oldest];
		ahead->oldest = (ahead->oldest + 1) % AHEAD_STREAMS;
	}
	*stream = (struct ahead_stream){end, (end - page) / CAPTURE_PAGE};
}
