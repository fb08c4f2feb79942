/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * meeting.h - nodes that meet between two chunks of a loop, when the run is to be saved there: what
 * is kept of it wherever loops are handed out (service.h, CAPE_SERVICE_CHUNK).
 *
 * While iterations are left every node of the team asks again.  So one that has done its chunk gets
 * no other, and asks whether the rest have come; when all have, each learns so once.  One that
 * works on may wait for a chunk that nobody takes now: so any node may call the meeting off.
 */
#ifndef CAPE_MEETING_H
#define CAPE_MEETING_H

#include <errno.h>
#include "channel/service.h"

/* Of a loop. */
struct cape_meeting {
	uint64_t number;   /* among all; 0: there is none */
	uint64_t came;	   /* nodes that have done their chunk, */
	uint64_t informed; /* and those that know that all have */
};

/* Of a node: numbers of meetings, 0 at first. */
struct cape_meeting_guest {
	uint64_t last;	   /* that it came to last, */
	uint64_t informed; /* and of which it knows that all have */
};

/*
 * What GUEST, of REQUEST's loop, which has iterations left, is to do (enum cape_chunk_result).
 * MEETINGS: how many there were.  -EALREADY: it takes part twice.
 */
static inline int cape_meeting_ask(struct cape_meeting *meeting, uint64_t *meetings,
				   struct cape_meeting_guest *guest,
				   const struct cape_service_request *request)
{
	if (request->chunk.call == CAPE_CHUNK_CALL && !meeting->number)
		*meeting = (struct cape_meeting){.number = ++*meetings};
	if (request->chunk.call == CAPE_CHUNK_CALL_OFF && meeting->came < request->chunk.nodes)
		meeting->number = 0;
	if (!meeting->number)
		return CAPE_CHUNK_GOT;
	/* Having been to a later one, or knowing already: it waits no more, and nor do others.
	 */
	if (guest->last > meeting->number || guest->informed == meeting->number)
		return -EALREADY;
	if (guest->last < meeting->number) {
		guest->last = meeting->number;
		meeting->came++;
	}
	if (meeting->came < request->chunk.nodes)
		return CAPE_CHUNK_LATER;
	guest->informed = meeting->number;
	if (++meeting->informed == request->chunk.nodes)
		meeting->number = 0;
	return CAPE_CHUNK_ALL_HERE;
}

/*
 * What GUEST gets of the loop, whose first iteration that was not handed out is *LEFT: all of the
 * reply.  0 or -EALREADY, as above.
 */
static inline int cape_meeting_next_chunk(struct cape_meeting *meeting, uint64_t *meetings,
					  struct cape_meeting_guest *guest,
					  const struct cape_service_request *request,
					  uint64_t *left, struct cape_service_reply *reply)
{
	uint64_t size = cape_service_chunk_size(request, *left);
	int result = CAPE_CHUNK_NONE;

	if (size)
		result = cape_meeting_ask(meeting, meetings, guest, request);
	if (result < 0)
		return result;
	*reply = (struct cape_service_reply){.result = (uint64_t)result, .chunk.first = *left};
	if (result == CAPE_CHUNK_GOT)
		*left += size;
	reply->chunk.end = *left;
	return 0;
}

#endif
