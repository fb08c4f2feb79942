// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * log.c - asking the service, and taking from the log, byte by byte (publishing: collect.c).
 *
 * Own entries come back as gaps between the positions of others'.  An entry of another that
 * stands before one's own, but was taken after that was made, must not hide it: own entries are
 * kept until their position is known, and then applied once more to bytes that others' have set
 * meanwhile, and to no others.  For what this node alone writes to, the words of its arena first
 * of all, may have gone to and fro: once more what was published first, and a change back to it
 * that was not announced yet would look like none.
 *
 * Others fetch a page from its owner as it is in memory.  So they may have seen what the owner has
 * not published yet, have changed it, and have published that: the owner's own changes yield to
 * what others published before them and it had not taken.
 */
#include "sync/log.h"

#include <errno.h>
#include <string.h>
#include "checkpoint/exact.h"
#include "races/check.h"
#include "sync/elements.h"
#include "replica/input.h"
#include "message/message.h"
#include "races/races.h"
#include "system/libc.h"
#include "base/context.h"
#include "base/method.h"
#include "base/ordering.h"
#include "base/model.h"
#include "base/way.h"
#include "memory/directory.h"
#include "memory/shared.h"
#include "message/request.h"
#include "profile/profile.h"
#include "heap/heap.h"
#include "memory/calls.h"
#include "memory/mapping.h"
#include "memory/track.h"
#include "replica/streams.h"
#include "sync/sync_point.h"

static void *at_address(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static bool reach(void *context, const struct cape_exact_run *run, uint64_t after,
		  unsigned char **memory, unsigned char **twin)
{
	struct cape_runtime *runtime = context;
	struct cape_area *area = cape_areas_find(runtime->areas, run->address, run->length);
	int elsewhere = 0;

	if (area)
		elsewhere = runtime->way->reach(runtime, area, run, memory, twin);
	if (elsewhere)
		return elsewhere > 0;
	/* It may change the notes of what is mapped. */
	if (area && area->kind == CAPE_AREA_HEAP)
		cape_mapping_expect(runtime);
	if (!area || cape_shared_reach(runtime, area, run->address, run->length) < 0)
		return false;
	cape_track_expect(runtime, area, run->address, run->length + after);
	*memory = at_address(run->address);
	*twin = cape_area_twin(area, run->address, run->length);
	return true;
}

struct cape_exact_memory cape_log_memory(struct cape_runtime *runtime)
{
	cape_mapping_expect(runtime);
	return (struct cape_exact_memory){runtime, reach};
}

void cape_log_fail(struct cape_runtime *runtime, unsigned node)
{
	cape_fail(runtime, 0,
		  "a checkpoint of node %u is malformed or names memory that is not shared "
		  "on node %u; are the binaries the same on all nodes?",
		  node, runtime->node);
}

/* Another node's.  What this node has changed stays, unless that node may have seen it. */
static void take_run(const struct cape_exact_run *run, void *memory, void *twin)
{
	struct cape_runtime *runtime = cape_runtime;
	const struct cape_area *area = cape_areas_find(runtime->areas, run->address, run->length);

	if (runtime->way->yields(runtime, area, run->address))
		cape_exact_set(run, memory, twin);
	else
		cape_exact_take(run, memory, twin);
}

void cape_log_take_entry(struct cape_runtime *runtime, const unsigned char *bytes, uint64_t size,
			 unsigned node)
{
	struct cape_exact_memory memory = cape_log_memory(runtime);

	if (cape_exact_apply_all(bytes, size, take_run, &memory) < 0)
		cape_log_fail(runtime, node);
	runtime->way->took(runtime, bytes, size);
}

/* An entry of this node's own, where others' entries that stand before it have hidden it. */
static void apply_again(struct cape_runtime *runtime, const unsigned char *bytes, uint64_t size)
{
	struct cape_exact_memory memory = cape_log_memory(runtime);

	if (cape_touched_take(&runtime->log->touched, bytes, size, &memory) < 0)
		cape_log_fail(runtime, runtime->node);
	runtime->way->took(runtime, bytes, size);
}

/* BYTES of another stand before entries of this node's own, which may have set the same bytes. */
static void note_touched(struct cape_runtime *runtime, const unsigned char *bytes, uint64_t size,
			 unsigned node)
{
	int error = cape_touched_add(&runtime->log->touched, bytes, size);

	if (error == -ENOMEM)
		cape_fail(runtime, 0, "out of memory for what other nodes have released");
	if (error < 0)
		cape_log_fail(runtime, node);
}

/* Keeps what is being published; the list is empty most of the time, and then begins anew. */
static void keep_own(struct cape_runtime *runtime, const unsigned char *bytes, uint64_t size)
{
	struct cape_log *log = runtime->log;

	if (!log->own_count)
		log->own_start = log->own_end = 0;
	if (sizeof(size) + size > CAPE_LOG_OWN_LIMIT - log->own_end)
		cape_fail(runtime, 0, "node %u published more than CAPE can keep", runtime->node);
	memcpy(log->own + log->own_end, &size, sizeof(size));
	memcpy(log->own + log->own_end + sizeof(size), bytes, size);
	log->own_end += sizeof(size) + cape_message_padded(size);
	log->own_count++;
	log->published++;
	log->moved = true;
}

/* Entries in their order. */
struct walk {
	struct cape_runtime *runtime;
	uint64_t position; /* that comes next */
	uint64_t others;   /* entries of other nodes that were applied */
};

/* The positions before END are this node's own. */
static void pass_own(struct walk *walk, uint64_t end)
{
	struct cape_runtime *runtime = walk->runtime;
	struct cape_log *log = runtime->log;

	for (; walk->position < end; walk->position++) {
		uint64_t size;

		if (walk->position < log->complete)
			continue;
		if (!log->own_count)
			cape_fail(runtime, 0, "the log lacks an entry for node %u", runtime->node);
		memcpy(&size, log->own + log->own_start, sizeof(size));
		if (!cape_touched_is_empty(&log->touched))
			apply_again(runtime, log->own + log->own_start + sizeof(size), size);
		log->own_start += sizeof(size) + cape_message_padded(size);
		log->own_count--;
	}
	if (!log->own_count)
		cape_touched_clear(&log->touched);
}

/* The entry at BYTES against what this node has changed, published or not. */
static void look_for_races(struct cape_runtime *runtime, const unsigned char *bytes,
			   const struct cape_service_entry *entry)
{
	const struct cape_log *log = runtime->log;
	const unsigned char *own = log->own + log->own_start;

	cape_races_with_own(runtime, bytes, entry->size, entry->node);
	for (uint64_t i = 0; i < log->own_count; i++) {
		uint64_t size;

		memcpy(&size, own, sizeof(size));
		own += sizeof(size);
		cape_races_between(runtime, own, size, runtime->node, bytes, entry->size,
				   entry->node);
		own += cape_message_padded(size);
	}
}

/* An entry of another node. */
static void take_published(struct walk *walk, const struct cape_service_entry *entry)
{
	const unsigned char *bytes = (const unsigned char *)(entry + 1);

	pass_own(walk, entry->position);
	/* Against all that this node has published: that may be much. */
	if (cape_races_are_looked_for(walk->runtime))
		look_for_races(walk->runtime, bytes, entry);
	cape_log_take_entry(walk->runtime, bytes, entry->size, entry->node);
	if (walk->runtime->log->own_count)
		note_touched(walk->runtime, bytes, entry->size, entry->node);
	walk->position = entry->position + 1;
	walk->others++;
}

void cape_log_begin_taking(struct cape_runtime *runtime)
{
	runtime->way->before_taking(runtime);
	cape_elements_lift(runtime);
}

void cape_log_end_taking(struct cape_runtime *runtime)
{
	runtime->way->after_taking(runtime);
	runtime->log->moved = true;
	if (cape_heap_catch_up(runtime->heap) < 0)
		cape_fail(runtime, 0, "out of memory for the heaps of other nodes");
	cape_calls_follow(runtime);
	cape_input_follow(runtime);
	cape_elements_put_back(runtime);
}

static uint64_t take(struct cape_runtime *runtime)
{
	struct walk walk = {runtime, runtime->service->seen, 0};
	const struct cape_service_entry *entry;
	uint64_t started = 0, seen;

	while ((entry = cape_port(runtime)->next(runtime))) {
		if (entry->position == UINT64_MAX) {
			runtime->log->task = (const unsigned char *)(entry + 1);
			runtime->log->task_size = entry->size;
			continue;
		}
		if (!walk.others) {
			started = cape_now();
			cape_log_begin_taking(runtime);
		}
		take_published(&walk, entry);
	}
	seen = cape_port(runtime)->all_taken(runtime);
	pass_own(&walk, seen);
	if (walk.others) {
		cape_log_end_taking(runtime);
		runtime->channel->statistics.inject_time += cape_now() - started;
	}
	runtime->service->seen = seen;
	return walk.others;
}

static void start(struct cape_runtime *runtime)
{
	struct cape_log *log = runtime->log;

	runtime->service->take = take;
	log->own = cape_must_reserve(runtime, CAPE_LOG_OWN_LIMIT);
	madvise(log->own, CAPE_LOG_OWN_LIMIT, MADV_HUGEPAGE);
	log->late = cape_must_reserve(runtime, CAPE_LOG_LATE_LIMIT);
	cape_private_array_init(&log->touched_pages,
				cape_must_reserve(runtime, CAPE_LOG_TOUCHED_LIMIT),
				CAPE_LOG_TOUCHED_LIMIT);
	log->touched.memory = &log->touched_pages.memory;
}

CAPE_PART_OF_NODES(log, start);

/*
 * What was printed until now comes out before what those print who see this release, and is in no
 * stream's buffer any more when others' changes of that stream come with the reply: bytes that are
 * there again would not count as written.
 */
static void flush_output(uint32_t kind)
{
	if (kind != CAPE_SERVICE_FILE)
		cape_streams_flush();
}

/* Another node may wait for what this one would keep to itself while it waits. */
static bool may_wait_long(const struct cape_service_request *request)
{
	switch (request->kind) {
	case CAPE_SERVICE_ACQUIRE:
		return request->id != CAPE_LOCK_OF_ATOMICS;
	case CAPE_SERVICE_ORDERED_WAIT:
	case CAPE_SERVICE_TASK_TAKE:
	case CAPE_SERVICE_TASK_WAIT:
		return true;
	default:
		return false;
	}
}

/* The log needs twins of its own, and every node at every sync point. */
bool cape_log_is_usable(const struct cape_runtime *runtime)
{
	return runtime->method->publishes && !runtime->model->hands_out;
}

static void need_log(struct cape_runtime *runtime, uint32_t kind)
{
	const struct cape_channel *channel = runtime->channel;

	if (kind == CAPE_SERVICE_CHUNK || kind == CAPE_SERVICE_SINGLE ||
	    kind == CAPE_SERVICE_FILE || cape_log_is_usable(runtime))
		return;
	cape_fail(runtime, 0,
		  "%s:%d: critical, atomic, ordered, locks, flush and tasks need --method tickpt2 "
		  "and --model spmd",
		  channel->state.file, channel->state.line);
}

/* --check-races: who goes on after whom.  The lock of all atomic variables orders nothing else. */
static void note_order(struct cape_runtime *runtime, const struct cape_service_request *request,
		       const struct cape_service_reply *reply)
{
	switch (request->kind) {
	case CAPE_SERVICE_ACQUIRE:
		if (request->id != CAPE_LOCK_OF_ATOMICS && reply->result)
			cape_check_acquire(runtime, CAPE_ORDER_LOCK, request->id);
		break;
	case CAPE_SERVICE_FLUSH:
		cape_check_acquire(runtime, CAPE_ORDER_FLUSH, 0);
		break;
	case CAPE_SERVICE_ORDERED_WAIT:
		if (reply->result)
			cape_check_acquire(runtime, CAPE_ORDER_TURN, request->id);
		break;
	case CAPE_SERVICE_TASK_TAKE:
		if (reply->result == CAPE_TASK_GOT)
			cape_check_acquire(runtime, CAPE_ORDER_TASK, request->id);
		break;
	case CAPE_SERVICE_TASK_WAIT:
		cape_check_acquire(runtime, CAPE_ORDER_TASK_DONE, request->id);
		break;
	}
}

static void count_locks(struct cape_runtime *runtime, const struct cape_service_request *request,
			const struct cape_service_reply *reply)
{
	if (request->kind == CAPE_SERVICE_ACQUIRE)
		runtime->log->held += reply->result != 0;
	else if (request->kind == CAPE_SERVICE_RELEASE)
		runtime->log->held--;
}

static const struct cape_service_reply *ask_at_once(struct cape_runtime *runtime,
						    struct cape_service_request request)
{
	const struct cape_service_reply *reply;
	const struct cape_log_past *past = runtime->log->past;
	uint64_t publish = cape_request_published(&request);

	if (past && past->does(&request))
		return past->ask(runtime, request);
	/* What comes with a payload was written when that was collected. */
	if (!request.size)
		flush_output(request.kind);
	if (publish)
		keep_own(runtime, cape_request_payload(runtime), publish);
	reply = cape_request(runtime, request);
	note_order(runtime, &request, reply);
	count_locks(runtime, &request, reply);
	return reply;
}

static const struct cape_service_reply *ask(struct cape_runtime *runtime,
					    struct cape_service_request request)
{
	need_log(runtime, request.kind);
	if (may_wait_long(&request)) {
		cape_log_show(runtime);
		cape_log_settle_elements(runtime);
	}
	return ask_at_once(runtime, request);
}

CAPE_EXPORT void cape_takes(void)
{
	cape_runtime_get()->takes = true;
}

/* Else other nodes, which were not informed, would keep to themselves what this one asks for. */
static void need_said(struct cape_runtime *runtime, uint32_t kind)
{
	const struct cape_channel *channel = runtime->channel;

	if (runtime->takes || (kind != CAPE_SERVICE_ACQUIRE && kind != CAPE_SERVICE_FLUSH))
		return;
	cape_fail(runtime, 0,
		  "at or after %s:%d: a critical, atomic, flush or lock that the program did not "
		  "announce at its start; compile all of the program with the cape-cc of this CAPE",
		  channel->state.file, channel->state.line);
}

const struct cape_service_reply *cape_log_ask(struct cape_runtime *runtime,
					      struct cape_service_request request)
{
	need_said(runtime, request.kind);
	return ask(runtime, request);
}

void cape_log_called(struct cape_runtime *runtime, const struct cape_service_request *request)
{
	const struct cape_service_reply got = {.result = 1};

	ask_at_once(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_FLUSH});
	note_order(runtime, request, &got);
	count_locks(runtime, request, &got);
}

void cape_log_acquire(struct cape_runtime *runtime, uint64_t id)
{
	cape_log_ask(runtime,
		     (struct cape_service_request){.kind = CAPE_SERVICE_ACQUIRE, .id = id});
}

void cape_log_show(struct cape_runtime *runtime)
{
	uint64_t size;

	/* A race may be all that another node waits for: it is to end and be reported. */
	if ((!runtime->look && !runtime->check) || !cape_is_concurrent(runtime) ||
	    !cape_log_is_usable(runtime))
		return;
	size = cape_log_collect_release(runtime);
	if (size)
		ask(runtime,
		    (struct cape_service_request){.kind = CAPE_SERVICE_FLUSH, .size = size});
}

void cape_log_settle_elements(struct cape_runtime *runtime)
{
	uint64_t size;

	if (!runtime->elements->count)
		return;
	ask(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_ACQUIRE,
						   .id = CAPE_LOCK_OF_ATOMICS});
	cape_elements_forget(runtime);
	size = cape_log_collect(runtime);
	ask(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_RELEASE,
						   .id = CAPE_LOCK_OF_ATOMICS,
						   .size = size});
}

uint64_t cape_log_collect_release(struct cape_runtime *runtime)
{
	if (!runtime->elements->count)
		return cape_log_collect(runtime);
	cape_log_settle_elements(runtime);
	return 0;
}

void cape_log_release(struct cape_runtime *runtime, uint64_t id)
{
	uint64_t size;

	cape_check_release(runtime, CAPE_ORDER_LOCK, id);
	size = cape_log_collect_release(runtime);
	cape_log_ask(runtime, (struct cape_service_request){
				      .kind = CAPE_SERVICE_RELEASE, .id = id, .size = size});
}

void cape_log_catch_up(struct cape_runtime *runtime, uint64_t total)
{
	struct cape_log *log = runtime->log;
	uint64_t seen = runtime->service->seen;
	uint64_t known = seen > log->complete ? seen : log->complete;

	if (log->past)
		log->past->end(runtime);
	if (known + log->own_count != total)
		cape_log_ask(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_CATCH_UP,
								    .catch_up.entries = total});
	/* What is left are this node's own, and they are last: nothing can hide them. */
	log->complete = total;
	log->own_count = 0;
	cape_touched_clear(&log->touched);
	runtime->channel->log = (struct cape_channel_log){
		.published = log->published,
		.complete = total,
		.seen = runtime->service->seen,
	};
}

void cape_log_resume(struct cape_runtime *runtime)
{
	const struct cape_channel_log *channel = &runtime->channel->log;

	runtime->log->published = channel->published;
	runtime->log->complete = channel->complete;
	runtime->service->seen = channel->seen;
}
