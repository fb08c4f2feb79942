// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * hand_on.c - entries go from the program that made them to those that read them, by connections of
 * their own (channel/peers.h).
 *
 * What a thread has seen of a second one when it hands something on to a third, the third sees
 * before that.  The log has one order of all entries; here each node counts which node has sent
 * which how many frames, as far as it knows, and says with each frame what of that the receiver may
 * not know yet: before a frame is taken those come that its sender had in mind.  They are on their
 * way already, so nobody waits for a node that computes.
 *
 * In a planned pipeline no byte is written by two nodes, but on pages that all nodes have alike, of
 * which all get each entry; so no entry can hide another's, and atomic constructs need no lock.
 */
#include "sync/hand_on.h"

#include <errno.h>
#include <string.h>
#include "base/ranges.h"
#include "base/way.h"
#include "channel/peers.h"
#include "checkpoint/exact.h"
#include "memory/directory.h"
#include "message/message.h"
#include "message/port.h"
#include "message/request.h"
#include "profile/profile.h"
#include "sync/log.h"
#include "system/ranges.h"

#define LATE_LIMIT (1ull << 36)
#define LOOK_EVERY 8

/* What the sender of a frame knows: FRAMES frames are from one node to another. */
struct sent {
	uint16_t from, to;
	uint32_t frames;
};

/* What came with a sync point, and is taken after that; the frame follows. */
struct late {
	uint64_t node, size;
};

/* One after the other, each after its size, padded. */
struct entries {
	unsigned char *bytes;
	size_t size, room;
};

struct cape_hand_on {
	uint32_t readers;
	/* By node and node: frames that the one has sent the other; by node, to which, also: what
	 * it knows of that. */
	uint32_t *sent, *known;
	struct sent *news;	 /* what goes with a frame */
	struct entries now;	 /* for the readers, with what is published next */
	struct entries rest;	 /* what of that others are to have, too */
	struct cape_ranges owed; /* what they are to have with the sync point, as it is then, */
	struct entries last;	 /* and that, in bytes */
	unsigned quiet;		 /* times that it did not look what had come, since it did */
	unsigned char *late;	 /* frames, each after its struct late */
	uint64_t late_end;
	uint64_t late_at[CAPE_PEERS_NODES]; /* by node: those before are taken */
};

static uint32_t *sent_of(const struct cape_runtime *runtime, unsigned from, unsigned to)
{
	return &runtime->hand_on->sent[from * runtime->nodes + to];
}

/* What node WHO knows of that. */
static uint32_t *known_of(const struct cape_runtime *runtime, unsigned who, unsigned from,
			  unsigned to)
{
	return &runtime->hand_on->known[(who * runtime->nodes + from) * runtime->nodes + to];
}

/* -- out --------------------------------------------------------------------------------------- */

/* What node TO may not know; how much. */
static unsigned list_news(struct cape_runtime *runtime, unsigned to)
{
	struct cape_hand_on *hand_on = runtime->hand_on;
	unsigned count = 0;

	for (unsigned from = 0; from < runtime->nodes; from++)
		for (unsigned other = 0; other < runtime->nodes; other++) {
			uint32_t frames = *sent_of(runtime, from, other);
			uint32_t *known = known_of(runtime, to, from, other);

			if (from == to || frames == *known)
				continue;
			*known = frames;
			hand_on->news[count++] =
				(struct sent){(uint16_t)from, (uint16_t)other, frames};
		}
	return count;
}

static void send_to(struct cape_runtime *runtime, unsigned node, const struct entries *entries)
{
	struct cape_hand_on *hand_on = runtime->hand_on;
	struct cape_peer_piece piece[2] = {{hand_on->news, 0}, {entries->bytes, entries->size}};
	unsigned news;

	/* The frame itself is counted by who gets it. */
	*known_of(runtime, node, runtime->node, node) = *sent_of(runtime, runtime->node, node);
	news = list_news(runtime, node);
	piece[0].size = news * sizeof(*hand_on->news);
	cape_peers_send(runtime->channel, node, CAPE_FRAME_HANDED, news, piece, 2);
}

static void append(struct cape_runtime *runtime, struct entries *entries, const void *bytes,
		   uint64_t size)
{
	uint64_t more = sizeof(size) + cape_message_padded(size);

	if (more > CAPE_PEER_LONGEST / 2 - entries->size)
		cape_fail(runtime, 0, "a checkpoint of %llu bytes is more than CAPE can send",
			  (unsigned long long)size);
	cape_must_grow(runtime, (void **)&entries->bytes, &entries->room, entries->size + more, 1);
	memcpy(entries->bytes + entries->size, &size, sizeof(size));
	memcpy(entries->bytes + entries->size + sizeof(size), bytes, size);
	entries->size += more;
}

/* What NODE is to have, which may be nothing. */
static struct entries *entries_for(const struct cape_runtime *runtime, unsigned node)
{
	struct cape_hand_on *hand_on = runtime->hand_on;

	return hand_on->readers >> node & 1 ? &hand_on->now : &hand_on->rest;
}

/*
 * Sends what there is.  Who gets it first may hand something on at once, and is to know that others
 * get it, too: all frames are counted before the first one goes.
 */
static void send_now(struct cape_runtime *runtime)
{
	struct cape_hand_on *hand_on = runtime->hand_on;

	for (unsigned node = 0; node < runtime->nodes; node++)
		if (node != runtime->node && entries_for(runtime, node)->size)
			++*sent_of(runtime, runtime->node, node);
	for (unsigned node = 0; node < runtime->nodes; node++)
		if (node != runtime->node && entries_for(runtime, node)->size)
			send_to(runtime, node, entries_for(runtime, node));
	hand_on->now.size = hand_on->rest.size = 0;
}

static bool has_common(struct cape_runtime *runtime, uint64_t at, uint64_t end)
{
	bool common = false;
	uint64_t next;

	for (; at < end && !common; at = next) {
		next = cape_page_end(at, end);
		common = cape_directory_is_common(runtime, (struct cape_range){at, next});
	}
	return common;
}

/* What others are owed of RUN, which is this node's; false: they are to have it at once. */
static bool owe(struct cape_runtime *runtime, const struct cape_exact_run *run)
{
	struct cape_range range = {run->address, run->address + run->length};

	if (!has_common(runtime, range.start, range.end))
		return true;
	if (!runtime->log->is_own || !runtime->log->is_own(runtime, range))
		return false;
	cape_ranges_add(runtime, &runtime->hand_on->owed, range);
	return true;
}

/* Whether there is something in it that all nodes are to have alike at once. */
static bool is_for_all(struct cape_runtime *runtime, const void *bytes, uint64_t size)
{
	struct cape_exact_cursor cursor;
	struct cape_exact_run run;
	bool all = false;

	cape_exact_open(&cursor, bytes, size);
	while (cape_exact_next(&cursor, &run) > 0)
		all |= !owe(runtime, &run);
	return all;
}

/* RANGE as it was published last, after what is in LAST, which ends at *END. */
static void add_owed(struct cape_runtime *runtime, struct entries *last, uint64_t *end,
		     struct cape_range range)
{
	struct cape_area *area = cape_areas_find(runtime->areas, range.start, 1);
	struct cape_run run;
	unsigned char *out;

	for (; range.start < range.end; range.start += run.length) {
		run = (struct cape_run){range.start,
					runtime->way->part(range.start, range.end - range.start)};
		cape_must_grow(runtime, (void **)&last->bytes, &last->room,
			       last->size + cape_exact_bound(run.length), 1);
		out = cape_exact_put(last->bytes + last->size, end, &run,
				     cape_area_twin(area, run.address, run.length), NULL);
		last->size = (size_t)(out - last->bytes);
	}
}

/* What others are owed. */
static void pay(struct cape_runtime *runtime)
{
	struct cape_hand_on *hand_on = runtime->hand_on;
	uint64_t end = 0;

	hand_on->last.size = 0;
	for (size_t i = 0; i < hand_on->owed.count; i++)
		add_owed(runtime, &hand_on->last, &end, hand_on->owed.range[i]);
	append(runtime, &hand_on->rest, hand_on->last.bytes, hand_on->last.size);
	hand_on->owed.count = 0;
}

void cape_hand_on_send_all(struct cape_runtime *runtime)
{
	if (runtime->hand_on->owed.count)
		pay(runtime);
	send_now(runtime);
}

/*
 * What was collected is of what others read, or of anything; FIRST: more comes at once.  Of what
 * all are to have alike several nodes may write the same, and the order of that is the one in which
 * it is handed on: it goes to those, too, who do not wait for it.  What this node alone writes goes
 * to them once, in the end.
 */
static void hand_on(struct cape_runtime *runtime, const void *bytes, uint64_t size, bool first)
{
	struct cape_hand_on *hand_on = runtime->hand_on;

	append(runtime, &hand_on->now, bytes, size);
	if (!runtime->log->readable || is_for_all(runtime, bytes, size))
		append(runtime, &hand_on->rest, bytes, size);
	if (!first)
		send_now(runtime);
	runtime->log->handed_on++;
}

/* -- in ---------------------------------------------------------------------------------------- */

/* A frame that came with a sync point. */
static void keep_late(struct cape_runtime *runtime, unsigned node,
		      const struct cape_peer_head *head)
{
	struct cape_hand_on *hand_on = runtime->hand_on;
	uint64_t size = sizeof(*head) + head->size;
	struct late late = {node, (size + 7) & ~7ull};

	if (!hand_on->late)
		hand_on->late = cape_must_reserve(runtime, LATE_LIMIT);
	if (sizeof(late) + late.size > LATE_LIMIT - hand_on->late_end)
		cape_fail(runtime, 0, "out of memory for what other nodes have released");
	memcpy(hand_on->late + hand_on->late_end, &late, sizeof(late));
	memcpy(hand_on->late + hand_on->late_end + sizeof(late), head, size);
	hand_on->late_end += sizeof(late) + late.size;
}

/* The next one of NODE that came so, or NULL. */
static const struct cape_peer_head *next_late(struct cape_hand_on *hand_on, unsigned node)
{
	while (hand_on->late_at[node] < hand_on->late_end) {
		const unsigned char *at = hand_on->late + hand_on->late_at[node];
		struct late late;

		memcpy(&late, at, sizeof(late));
		if (late.node == node)
			return (const struct cape_peer_head *)(at + sizeof(late));
		hand_on->late_at[node] += sizeof(late) + late.size;
	}
	return NULL;
}

/* The next frame of NODE, if it is one that was handed on and, unless it is AWAITED, here. */
static const struct cape_peer_head *next_of(struct cape_runtime *runtime, unsigned node,
					    bool awaited)
{
	const struct cape_peer_head *head = next_late(runtime->hand_on, node);

	if (!head)
		head = awaited ? cape_peers_await(runtime->channel, node)
			       : cape_peers_next(runtime->channel, node);
	return head && head->kind == CAPE_FRAME_HANDED ? head : NULL;
}

static void let_go(struct cape_runtime *runtime, unsigned node, const struct cape_peer_head *head)
{
	struct cape_hand_on *hand_on = runtime->hand_on;

	if (next_late(hand_on, node) == head)
		hand_on->late_at[node] +=
			sizeof(struct late) + ((sizeof(*head) + head->size + 7) & ~7ull);
	else
		cape_peers_taken(runtime->channel, node);
}

static void take_frame(struct cape_runtime *runtime, unsigned node,
		       const struct cape_peer_head *head);

/* FRAMES frames of NODE, which are on their way, are to be taken. */
static void take_until(struct cape_runtime *runtime, unsigned node, uint32_t frames)
{
	while (*sent_of(runtime, node, runtime->node) < frames) {
		const struct cape_peer_head *head = next_of(runtime, node, true);

		if (!head)
			cape_fail(runtime, 0, "node %u has handed on less than others know", node);
		take_frame(runtime, node, head);
	}
}

/* What node WHO knew when it sent what comes with NEWS. */
static void learn(struct cape_runtime *runtime, unsigned who, const struct sent *news)
{
	uint32_t *sent, *known;

	if (news->from >= runtime->nodes || news->to >= runtime->nodes)
		cape_log_fail(runtime, who);
	if (news->to == runtime->node)
		take_until(runtime, news->from, news->frames);
	sent = sent_of(runtime, news->from, news->to);
	known = known_of(runtime, who, news->from, news->to);
	if (*sent < news->frames)
		*sent = news->frames;
	if (*known < news->frames)
		*known = news->frames;
}

/* Entries, each after its size. */
static void take_entries(struct cape_runtime *runtime, unsigned node, const unsigned char *bytes,
			 uint64_t left)
{
	while (left) {
		uint64_t size;

		if (left < sizeof(size))
			cape_log_fail(runtime, node);
		memcpy(&size, bytes, sizeof(size));
		left -= sizeof(size);
		bytes += sizeof(size);
		if (size > left)
			cape_log_fail(runtime, node);
		cape_log_take_entry(runtime, bytes, size, node);
		size = cape_least(left, cape_message_padded(size));
		bytes += size;
		left -= size;
	}
}

static void take_frame(struct cape_runtime *runtime, unsigned node,
		       const struct cape_peer_head *head)
{
	const struct sent *news = (const struct sent *)(head + 1);
	uint64_t before = head->note * sizeof(*news);

	if (before > head->size)
		cape_log_fail(runtime, node);
	for (uint32_t i = 0; i < head->note; i++)
		learn(runtime, node, &news[i]);
	*known_of(runtime, node, node, runtime->node) = ++*sent_of(runtime, node, runtime->node);
	take_entries(runtime, node, (const unsigned char *)news + before, head->size - before);
	let_go(runtime, node, head);
}

/*
 * All that is here, or, if LATE, what came with a sync point: what others hand on after that is for
 * this node's next region.  How many entries.
 */
static uint64_t take_all(struct cape_runtime *runtime, bool late)
{
	const struct cape_peer_head *head;
	uint64_t taken = 0;

	for (unsigned node = 0; node < runtime->nodes; node++) {
		if (node == runtime->node)
			continue;
		while ((head = late ? next_late(runtime->hand_on, node)
				    : next_of(runtime, node, false))) {
			if (!taken++)
				cape_log_begin_taking(runtime);
			take_frame(runtime, node, head);
		}
	}
	if (taken)
		cape_log_end_taking(runtime);
	return taken;
}

/* -- questions --------------------------------------------------------------------------------- */

static void start(struct cape_runtime *runtime)
{
	runtime->service->handed = keep_late;
}

CAPE_PART_OF_NODES(hand_on, start);

static uint64_t cubed(const struct cape_runtime *runtime)
{
	return (uint64_t)runtime->nodes * runtime->nodes * runtime->nodes;
}

static void make_room(struct cape_runtime *runtime)
{
	struct cape_hand_on *hand_on = runtime->hand_on;
	uint64_t pairs = (uint64_t)runtime->nodes * runtime->nodes;

	hand_on->sent = cape_must_reserve(runtime, pairs * sizeof(*hand_on->sent));
	hand_on->news = cape_must_reserve(runtime, pairs * sizeof(*hand_on->news));
	hand_on->known = cape_must_reserve(runtime, cubed(runtime) * sizeof(*hand_on->known));
}

static bool does(const struct cape_service_request *request)
{
	return request->kind == CAPE_SERVICE_FLUSH || request->id == CAPE_LOCK_OF_ATOMICS;
}

/*
 * Whoever publishes goes on at once: what came is taken by whom it makes go on.  But one who looks
 * for it may publish each time.
 */
static bool is_quiet(struct cape_hand_on *hand_on, const struct cape_service_request *request)
{
	if (request->kind == CAPE_SERVICE_FLUSH && !request->size)
		return false;
	return ++hand_on->quiet % LOOK_EVERY;
}

/* What REQUEST asks for; how many entries were taken. */
static uint64_t serve(struct cape_runtime *runtime, const struct cape_service_request *request)
{
	bool flush = request->kind == CAPE_SERVICE_FLUSH;
	uint64_t taken;

	if (request->size)
		hand_on(runtime, cape_request_payload(runtime), request->size,
			flush && request->flush.first);
	else if (flush)
		send_now(runtime);
	if (is_quiet(runtime->hand_on, request))
		return 0;
	taken = take_all(runtime, false);
	if (taken)
		return taken;
	cape_peers_look(runtime->channel, flush ? request->flush.microseconds : 0);
	return take_all(runtime, false);
}

static const struct cape_service_reply *ask(struct cape_runtime *runtime,
					    struct cape_service_request request)
{
	enum cape_phase phase = cape_profile_phase(runtime, CAPE_PHASE_WAIT);
	struct cape_service_reply *reply = &runtime->service->reply;
	int saved_errno = errno;

	cape_request_enter(runtime);
	*reply = (struct cape_service_reply){.result = 1};
	reply->entries = serve(runtime, &request);
	cape_request_leave(runtime);
	cape_profile_phase(runtime, phase);
	errno = saved_errno;
	return reply;
}

static void end(struct cape_runtime *runtime)
{
	struct cape_hand_on *hand_on = runtime->hand_on;
	uint64_t pairs = (uint64_t)runtime->nodes * runtime->nodes;

	take_all(runtime, true);
	runtime->log->past = NULL;
	hand_on->late_end = hand_on->quiet = 0;
	memset(hand_on->late_at, 0, sizeof(hand_on->late_at));
	memset(hand_on->sent, 0, pairs * sizeof(*hand_on->sent));
	memset(hand_on->known, 0, cubed(runtime) * sizeof(*hand_on->known));
}

static const struct cape_log_past past = {does, ask, end};

void cape_hand_on_begin(struct cape_runtime *runtime, uint32_t readers)
{
	struct cape_hand_on *hand_on = runtime->hand_on;

	if (!cape_port(runtime)->connects)
		return;
	if (!hand_on->sent)
		make_room(runtime);
	runtime->log->past = &past;
	hand_on->readers = readers;
	/* On all nodes, whether there is something to hand on or not. */
	runtime->log->moved = true;
}
