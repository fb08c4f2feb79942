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
 * The program writes a request and its payload to the out area, asks CAPE_REQUEST_SERVICE, and
 * finds the reply and the entries that go with it in the in area.  Payloads are opaque here.
 */
#ifndef CAPE_SERVICE_H
#define CAPE_SERVICE_H

#include <stdint.h>

enum cape_service_kind {
	/* Waits for lock ID (unless A is 1: only tries); result 1 when it was got, else 0. */
	CAPE_SERVICE_ACQUIRE,
	/* Publishes the payload, if any; then lock ID is free.  Not answered by node 0. */
	CAPE_SERVICE_RELEASE,
	/*
	 * Publishes the payload, if any.  A: microseconds to wait for news when the log holds
	 * nothing that this node has not seen, 0: none.
	 */
	CAPE_SERVICE_FLUSH,
	/* Waits until the log holds A entries in all, and brings those this node has not seen. */
	CAPE_SERVICE_CATCH_UP,
	/*
	 * The next chunk of loop ID, whose iterations are A .. B - 1, shared out in chunks of C
	 * (at least C when D is 1: guided) among E nodes.  Result 1 and A, B: the chunk's
	 * iterations A .. B - 1; result 0: none is left.
	 */
	CAPE_SERVICE_CHUNK,
	/* Result 1 for the first node that asks with this ID, else 0. */
	CAPE_SERVICE_SINGLE,
	/* Waits until all iterations A' < A of loop ID, which begin with B, are done. */
	CAPE_SERVICE_ORDERED_WAIT,
	/* Publishes the payload, if any; iterations A .. B - 1 of loop ID, which begin with C, are
	 * done.  Not answered. */
	CAPE_SERVICE_ORDERED_DONE,
	/* Publishes the payload's first B bytes; the rest is a task of group ID, labelled A.  Not
	 * answered. */
	CAPE_SERVICE_TASK_POST,
	/*
	 * Waits for a task of group ID, or until the group is closed and no task is left or
	 * runs.  Result 1: A is its label, the task's bytes are the first entry; 0: none comes
	 * any more.
	 */
	CAPE_SERVICE_TASK_TAKE,
	/* Publishes the payload; the task of group ID that this node took is done.  Not answered.
	 */
	CAPE_SERVICE_TASK_DONE,
	/* Waits until every task posted to group ID so far is done. */
	CAPE_SERVICE_TASK_WAIT,
	/* No more tasks come to group ID.  Not answered. */
	CAPE_SERVICE_TASK_CLOSE,
};

struct cape_service_request {
	uint32_t kind;
	uint32_t node;
	uint64_t id;
	uint64_t a, b, c, d, e;
	uint64_t seen; /* entries of the log that this node has taken or published */
	uint64_t size; /* of the payload, which follows */
};

/*
 * ENTRIES entries follow, each with its header, padded to 8 bytes: the log's SEEN .. seen - 1 in
 * order, without this node's own, which it has.
 */
struct cape_service_reply {
	uint64_t result;
	uint64_t a, b;
	uint64_t seen; /* what the next request says */
	uint64_t entries;
	uint64_t size; /* of all that follows */
};

struct cape_service_entry {
	uint32_t node; /* whose */
	uint32_t zero;
	uint64_t size; /* of its payload, which follows, padded to 8 */
};

#endif
