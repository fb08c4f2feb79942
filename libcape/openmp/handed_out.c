// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * handed_out.c - dynamic and guided loops: asking for chunks, and a save between two of them.
 *
 * When a save is due, node 0 calls all to meet: who has done its chunk asks again now and then
 * instead of beginning another, until all have come (channel/meeting.h).  There they pass a sync
 * point, at which the run is saved as at a barrier.  A run that goes on from there has a loop that
 * begins with what was left.
 */
#include "openmp/handed_out.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include "channel/service.h"
#include "profile/profile.h"
#include "sync/due.h"
#include "sync/log.h"
#include "sync/sync_point.h"
#include "system/libc.h"

/* Before a node asks again, for its share of the time that it has waited. */
#define NAP_SHARE    8
#define SHORTEST_NAP 50000u    /* nanoseconds */
#define LONGEST_NAP  50000000u /* the same */

static void nap(uint64_t since)
{
	uint64_t time = (cape_now() - since) / NAP_SHARE;
	struct timespec moment = {0};

	if (time < SHORTEST_NAP)
		time = SHORTEST_NAP;
	moment.tv_nsec = (long)(time < LONGEST_NAP ? time : LONGEST_NAP);
	syscall(SYS_nanosleep, &moment, NULL);
}

/* LATER: this node has asked already. */
static const struct cape_service_reply *ask(struct cape_runtime *runtime, bool later)
{
	const struct cape_construct *construct = cape_innermost(runtime);
	const struct cape_service_reply *reply;

	reply = cape_log_ask(
		runtime, (struct cape_service_request){
				 .kind = CAPE_SERVICE_CHUNK,
				 .id = construct->id,
				 .chunk = {.first = construct->work.first,
					   .end = construct->work.last,
					   .least = construct->work.chunk,
					   .guided = construct->schedule == CAPE_SCHEDULE_GUIDED,
					   .nodes = runtime->team,
					   .call = cape_due_chunk(runtime, later)},
			 });
	if (reply->result == CAPE_CHUNK_NONE && !later)
		cape_due_used_up(runtime);
	return reply;
}

/* The others' chunks may be long, and they may wait for one that was not handed out yet. */
static const struct cape_service_reply *await_all(struct cape_runtime *runtime)
{
	enum cape_phase phase = cape_profile_phase(runtime, CAPE_PHASE_WAIT);
	const struct cape_service_reply *reply;
	uint64_t since = cape_now();
	int saved = errno;

	cape_runtime_place(runtime, cape_innermost(runtime)->place);
	do {
		nap(since);
		reply = ask(runtime, true);
	} while (reply->result == CAPE_CHUNK_LATER);
	errno = saved;
	cape_profile_phase(runtime, phase);
	return reply;
}

/* LEFT: the first iteration that was not handed out. */
static void meet(struct cape_runtime *runtime, unsigned long left)
{
	struct cape_construct *construct = cape_innermost(runtime);

	construct->meets = true;
	construct->next = left;
	cape_due_meet(runtime);
	cape_profile_begin(runtime, construct->place, "save");
	cape_sync_point(runtime, CAPE_SYNC_MEETING, construct->place);
	cape_profile_end(runtime);
	/* In a run that goes on here, the list of constructs may lie elsewhere. */
	cape_innermost(runtime)->meets = false;
}

int cape_handed_out_next(struct cape_runtime *runtime, unsigned long *left, unsigned long *right)
{
	const struct cape_service_reply *reply = ask(runtime, false);

	while (reply->result == CAPE_CHUNK_LATER || reply->result == CAPE_CHUNK_ALL_HERE) {
		if (reply->result == CAPE_CHUNK_LATER) {
			reply = await_all(runtime);
		} else {
			meet(runtime, reply->chunk.first);
			reply = ask(runtime, false);
		}
	}
	*left = reply->chunk.first;
	*right = reply->chunk.end;
	return reply->result == CAPE_CHUNK_GOT;
}

void cape_handed_out_alone(struct cape_runtime *runtime)
{
	if (cape_due_chunk(runtime, false) == CAPE_CHUNK_CALL)
		meet(runtime, cape_innermost(runtime)->work.first);
}
