/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * service.h - what a program asks of its monitor between collective sync points: locks, chunks
 * of dynamic loops, ordered, single, flush, tasks.
 *
 * One monitor, node 0's, keeps the books for the whole run: who holds which lock, how far a loop
 * has been handed out, and the log, the one order of all checkpoints that were published since
 * the run began.  Monitors talk over sockets, so that node 0's answers while its own program
 * computes.  To acquire (a lock, an ordered turn, a flush, a task) is to take what the log holds
 * since one looked last; to release is to append to it.  That is release consistency with many
 * writers and eager updates.
 *
 * Where all nodes are on one machine, programs keep the log, locks and loops themselves, on the
 * board (channel/board_log.h, channel/book.h); the rest is asked in the same way.
 *
 * The program writes a request and its payload to CAPE_SERVICE_OUT, asks CAPE_REQUEST_SERVICE, and
 * finds the reply and the entries that go with it at CAPE_SERVICE_IN: apart from the messages of
 * an exchange, between which and their use it may ask.  Payloads are opaque here.  A payload of
 * no bytes publishes nothing.
 *
 * Those requests that wait for something bring entries: what the log holds at that moment and
 * the node has not seen.  Where "no entries" is said, and for what is "not answered" (the node's
 * own monitor replies as soon as the request is on its way), the reply's SEEN is the request's.
 *
 * What is kept of a loop, a single or a group of tasks is forgotten by counting, as said at each
 * request; its ID then means a new one.  Locks need no forgetting.  A request that breaks these
 * rules ends the run with a message that names the node and the construct it had met last.
 */
#ifndef CAPE_SERVICE_H
#define CAPE_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include "channel/channel.h"

/* Offsets into the channel, after what the messages of a sync point may take. */
#define CAPE_SERVICE_OUT (CAPE_CHANNEL_OUT + (1ull << 39))
#define CAPE_SERVICE_IN	 (CAPE_CHANNEL_IN + (1ull << 39))

/* Numbers of locks: what they are numbers of is in the highest bits. */
#define CAPE_LOCK_OF_ADDRESS (1ull << 62) /* omp_lock_t, omp_nest_lock_t, those of POSIX */
#define CAPE_LOCK_OF_NAME    (2ull << 62) /* critical */
#define CAPE_LOCK_OF_ATOMICS (3ull << 62) /* one for all atomic variables */
#define CAPE_LOCK_KIND	     (3ull << 62)

enum cape_service_kind {
	/*
	 * Waits for lock ID, first come first served, unless it ONLY_TRIES; result 1 when it was
	 * got, else 0.  A node that waits for a lock of its own waits for ever, which is found as a
	 * deadlock.
	 */
	CAPE_SERVICE_ACQUIRE,
	/*
	 * Publishes the payload; then lock ID, which this node must hold, is free.  Not answered.
	 */
	CAPE_SERVICE_RELEASE,
	/*
	 * Publishes the payload.  Waits for news, an hour at most, when the log holds nothing of
	 * other nodes that this one has not seen.
	 */
	CAPE_SERVICE_FLUSH,
	/*
	 * Waits until the log holds ENTRIES in all, and brings these, not what came after them:
	 * SEEN is ENTRIES then.
	 */
	CAPE_SERVICE_CATCH_UP,
	/*
	 * The next chunk of loop ID, shared out in chunks of LEAST iterations (GUIDED is 1: an
	 * equal part of what is left for each node, but LEAST at least).  Result 1 and the chunk;
	 * result 0: none is left.  LEAST of 0 is 1.  The loop is forgotten once NODES nodes were
	 * informed that none is left.  No entries.
	 *
	 * CALL: what the node says of a meeting of all between two chunks (enum cape_chunk_call).
	 * Other results (enum cape_chunk_result) are those of one; FIRST: the first iteration
	 * left.
	 */
	CAPE_SERVICE_CHUNK,
	/*
	 * Result 1 for the first node that asks with this ID, else 0.  NODES nodes will ask; it
	 * is forgotten after the last.  No entries.
	 */
	CAPE_SERVICE_SINGLE,
	/*
	 * Waits until all iterations of loop ID before ITERATION are done; result 1 when they are,
	 * else 0.
	 */
	CAPE_SERVICE_ORDERED_WAIT,
	/*
	 * Publishes the payload; iterations FIRST .. END - 1 of loop ID are done.  May come in
	 * any order.  Forgotten once all are done.  Not answered.
	 */
	CAPE_SERVICE_ORDERED_DONE,
	/*
	 * Publishes the payload's first PUBLISHED bytes; the rest is a task of group ID.  Not
	 * answered.
	 */
	CAPE_SERVICE_TASK_POST,
	/*
	 * Waits for a task of group ID, or until the group is closed and no task is left or
	 * runs.  Result (enum cape_task_result) GOT: its label and number in the group, and the
	 * task's bytes as the first entry; NONE: none comes any more.  NODES nodes will get that;
	 * the group is forgotten after the last.  Without a tag a node runs one task at a time.
	 */
	CAPE_SERVICE_TASK_TAKE,
	/*
	 * Publishes the payload; task NUMBER of group ID, which this node took, is done.  Not
	 * answered.
	 */
	CAPE_SERVICE_TASK_DONE,
	/*
	 * Waits until every task posted to group ID so far is done, which result 1 says; without a
	 * tag not for a node that runs one of them.
	 */
	CAPE_SERVICE_TASK_WAIT,
	/* No more tasks come to group ID.  Not answered. */
	CAPE_SERVICE_TASK_CLOSE,
	/*
	 * Does something to a file that nodes share, as channel/file_request.h says; what was read
	 * follows the reply.  No entries.
	 */
	CAPE_SERVICE_FILE,
	CAPE_SERVICE_KINDS,
};

enum cape_task_result {
	CAPE_TASK_NONE,
	CAPE_TASK_GOT,
	CAPE_TASK_LATER, /* with a tag: there may be one when that is called */
};

enum cape_chunk_call {
	CAPE_CHUNK_ONLY,     /* nothing */
	CAPE_CHUNK_CALL,     /* all are to meet, if they are not about to */
	CAPE_CHUNK_CALL_OFF, /* not now, if not all have come; each goes on, with the next chunk */
};

enum cape_chunk_result {
	CAPE_CHUNK_NONE,
	CAPE_CHUNK_GOT,
	CAPE_CHUNK_LATER,    /* others are still to come: ask again */
	CAPE_CHUNK_ALL_HERE, /* each node learns so once, and none gets a chunk before */
};

/* What a kind of request says besides takes as much as any other, so that all of it is set. */
#define CAPE_SERVICE_WORDS 6

struct cape_service_request {
	uint32_t kind;
	uint32_t node; /* set by the monitor */
	/*
	 * 0: who asks waits for what it asks for.  Else a lock or a turn that is not to be had yet
	 * is answered 0 at once, without entries, and other requests may come meanwhile; when it
	 * is, the thread of that tag is called (cape_channel_call()), and asks for the entries
	 * itself.  Who was called for tasks (CAPE_TAG_OF_TASKS) asks again, for there may be one.
	 */
	uint32_t tag;
	uint32_t zero;
	uint64_t id;
	union {
		struct {
			uint64_t first, end; /* the loop's iterations: FIRST .. END - 1 */
			uint64_t least;	     /* iterations of a chunk */
			uint64_t guided;
			uint64_t nodes; /* that share the loop */
			uint64_t call;	/* enum cape_chunk_call */
		} chunk;
		struct {
			uint64_t only_tries;
			uint64_t zero[5];
		} acquire;
		struct {
			uint64_t microseconds; /* to wait for news; 0: none */
			uint64_t first;	       /* more is published at once: program's own */
			uint64_t zero[4];
		} flush;
		struct {
			uint64_t entries;
			uint64_t zero[5];
		} catch_up;
		struct {
			uint64_t nodes;
			uint64_t zero[5];
		} single;
		struct {
			uint64_t iteration;
			uint64_t loop_first;
			uint64_t zero[4];
		} ordered_wait;
		struct {
			uint64_t first, end;
			uint64_t loop_first, loop_end; /* all iterations of the loop */
			uint64_t zero[2];
		} ordered_done;
		struct {
			uint64_t label;
			uint64_t published; /* bytes */
			uint64_t zero[4];
		} task_post;
		struct {
			uint64_t nodes;
			uint64_t zero[5];
		} task_take;
		struct {
			uint64_t number;
			uint64_t zero[5];
		} task_done;
		struct {
			uint64_t operation; /* enum cape_file_operation */
			uint64_t offset, length;
			uint64_t how;
			uint64_t regions; /* that the node has entered */
			uint64_t zero;
		} file;
	};
	uint64_t seen; /* what the last reply said; 0 at first */
	uint64_t size; /* of the payload, which follows */
};

#define CAPE_SERVICE_SAYS_ALL(kind)                                                                \
	_Static_assert(sizeof(((struct cape_service_request *)0)->kind) ==                         \
			       CAPE_SERVICE_WORDS * sizeof(uint64_t),                              \
		       "no byte of a request is left unset")
CAPE_SERVICE_SAYS_ALL(chunk);
CAPE_SERVICE_SAYS_ALL(acquire);
CAPE_SERVICE_SAYS_ALL(flush);
CAPE_SERVICE_SAYS_ALL(catch_up);
CAPE_SERVICE_SAYS_ALL(single);
CAPE_SERVICE_SAYS_ALL(ordered_wait);
CAPE_SERVICE_SAYS_ALL(ordered_done);
CAPE_SERVICE_SAYS_ALL(task_post);
CAPE_SERVICE_SAYS_ALL(task_take);
CAPE_SERVICE_SAYS_ALL(task_done);
CAPE_SERVICE_SAYS_ALL(file);

/*
 * ENTRIES entries follow, each with its header, padded to 8 bytes: those at the positions
 * request.seen .. seen - 1 of the log, in order, without this node's own, which it has.
 */
struct cape_service_reply {
	uint64_t result;
	union {
		struct {
			uint64_t first, end; /* iterations FIRST .. END - 1 */
		} chunk;
		struct {
			uint64_t label;
			uint64_t number;
		} task;
		struct {
			uint64_t error; /* errno, or 0 */
			uint64_t place; /* the description's, or CAPE_FILE_NOWHERE */
		} file;
	};
	uint64_t seen; /* what the next request says */
	uint64_t entries;
	uint64_t size; /* of all that follows */
};

/*
 * Positions count all entries since the run began from 0, so those missing between SEEN before
 * and after are where the log holds this node's own, in the order in which it published them.
 */
struct cape_service_entry {
	uint32_t node; /* whose */
	uint32_t zero;
	uint64_t position; /* in the log; of a task's bytes: UINT64_MAX */
	uint64_t size;	   /* of its payload, which follows, padded to 8 */
};

/* Whether a request of that KIND is answered. */
static inline bool cape_service_is_answered(uint32_t kind)
{
	switch (kind) {
	case CAPE_SERVICE_RELEASE:
	case CAPE_SERVICE_ORDERED_DONE:
	case CAPE_SERVICE_TASK_POST:
	case CAPE_SERVICE_TASK_DONE:
	case CAPE_SERVICE_TASK_CLOSE:
		return false;
	default:
		return true;
	}
}

/* Whether two requests for chunks are of one loop, as all nodes must see it. */
static inline bool cape_service_same_loop(const struct cape_service_request *one,
					  const struct cape_service_request *other)
{
	return one->chunk.first == other->chunk.first && one->chunk.end == other->chunk.end &&
	       one->chunk.least == other->chunk.least && one->chunk.guided == other->chunk.guided &&
	       one->chunk.nodes == other->chunk.nodes;
}

/* How many iterations the next chunk of REQUEST's loop has, which was handed out up to NEXT. */
static inline uint64_t cape_service_chunk_size(const struct cape_service_request *request,
					       uint64_t next)
{
	uint64_t left = request->chunk.end > next ? request->chunk.end - next : 0;
	uint64_t size = request->chunk.least ? request->chunk.least : 1;

	if (request->chunk.guided == 1) {
		uint64_t nodes = request->chunk.nodes;
		uint64_t share = left / nodes + (left % nodes != 0);

		size = share > size ? share : size;
	}
	return size < left ? size : left;
}

#endif
