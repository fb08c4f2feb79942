/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * log.h - this node's end of the log of what nodes publish between sync points
 * (channel/service.h): asking the service, publishing, taking.
 *
 * Memory is what the program sees; the twin is what all entries of the log that were taken, and
 * this node's own, make of the last sync point's memory.  So what differs is what this node has
 * changed and did not announce.
 */
#ifndef CAPE_LOG_H
#define CAPE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include "channel/service.h"
#include "base/private.h"
#include "base/way.h"
#include "checkpoint/exact.h"
#include "checkpoint/touched.h"

struct cape_ranges;
struct cape_runtime;

#define CAPE_LOG_OWN_LIMIT     (1ull << 38) /* bytes */
#define CAPE_LOG_TOUCHED_LIMIT (1ull << 36)
#define CAPE_LOG_LATE_LIMIT    (1ull << 32)

/* What is published goes another way until the next sync point (hand_on.h). */
struct cape_log_past {
	/* Whether REQUEST is asked that way; asks it; all nodes have come to the sync point. */
	bool (*does)(const struct cape_service_request *request);
	const struct cape_service_reply *(*ask)(struct cape_runtime *runtime,
						struct cape_service_request request);
	void (*end)(struct cape_runtime *runtime);
};

struct cape_log {
	uint64_t complete;  /* before this position, everything is in memory and twin */
	uint64_t published; /* entries of this node since the run began */
	uint64_t handed_on; /* and those that went past the log (hand_on.h) */
	bool moved;	    /* whether it published or took since the last sync point */
	unsigned char *own; /* what it published and whose position it does not know yet */
	uint64_t own_start, own_end, own_count;
	unsigned char *late;	     /* flushed variables, collected first and published last */
	struct cape_touched touched; /* by others' entries that were taken since, before those */
	struct cape_private_array touched_pages;
	uint32_t held;		   /* locks that this node has of the service */
	const unsigned char *task; /* a task's bytes, in the reply to CAPE_SERVICE_TASK_TAKE */
	uint64_t task_size;
	/*
	 * What other nodes may read of this node's changes before the next sync point, as far as
	 * this one may have changed it since it was asked last: no more has to be published.  NULL:
	 * that is not known.
	 */
	const struct cape_ranges *(*readable)(struct cape_runtime *runtime);
	/* Of that, what this node has alone has a base, too. */
	bool is_based;
	/* Whether no other node has written to the page, at PAGE, since the last sync point, or
	 * NULL. */
	cape_page_test *is_alone;
	/* Whether no other node writes something of RANGE before the next one, or NULL. */
	bool (*is_own)(const struct cape_runtime *runtime, struct cape_range range);
	const struct cape_log_past *past; /* or NULL: nothing does */
	uint64_t rounds; /* of such loops: who has come to another one does not wait */
};

/*
 * Encodes what this node changed since it last published, or since the last sync point, as the
 * payload of the next request, and lets the twin have it.  Returns the payload's size.
 */
uint64_t cape_log_collect(struct cape_runtime *runtime);

/* The same for LENGTH bytes at ADDRESS alone, all of them shared. */
uint64_t cape_log_collect_range(struct cape_runtime *runtime, uint64_t address, uint64_t length);

/*
 * What a release publishes: cape_log_collect(), but when operator elements of atomic updates wait
 * everything is published at once, those as values, and 0 is what is left.
 */
uint64_t cape_log_collect_release(struct cape_runtime *runtime);

/*
 * Asks the service, with a payload of REQUEST.size bytes that was collected, and takes the entries
 * that come with the reply, which stays where it is until the next request.
 */
const struct cape_service_reply *cape_log_ask(struct cape_runtime *runtime,
					      struct cape_service_request request);

/* REQUEST, with a tag and answered 0, has what it asks for: takes the entries that go with it. */
void cape_log_called(struct cape_runtime *runtime, const struct cape_service_request *request);

/* Entries that this node has published, in any way. */
static inline uint64_t cape_log_said(const struct cape_log *log)
{
	return log->published + log->handed_on;
}

/* Around the entries of others that are taken at a time; one of NODE. */
void cape_log_begin_taking(struct cape_runtime *runtime);
void cape_log_take_entry(struct cape_runtime *runtime, const unsigned char *bytes, uint64_t size,
			 unsigned node);
void cape_log_end_taking(struct cape_runtime *runtime);

/* Waits for lock ID, respectively publishes what a release must and frees it. */
void cape_log_acquire(struct cape_runtime *runtime, uint64_t id);
void cape_log_release(struct cape_runtime *runtime, uint64_t id);

/* Whether the run's method and model have a log. */
bool cape_log_is_usable(const struct cape_runtime *runtime);

/* Before this node waits: what it changed becomes known to loops that look at volatile objects. */
void cape_log_show(struct cape_runtime *runtime);

/* Makes waiting operator elements values that all can take. */
void cape_log_settle_elements(struct cape_runtime *runtime);

/* A sync point: the log holds TOTAL entries up to here; takes what this node has not. */
void cape_log_catch_up(struct cape_runtime *runtime, uint64_t total);

/* Goes on in the log of the run where the program was that exec() has replaced, if one was. */
void cape_log_resume(struct cape_runtime *runtime);

/* Bytes that cape_log_encode() may write. */
uint64_t cape_log_encode_bound(const struct cape_runtime *runtime);
/* Encodes the bytes of runtime->sync->runs that differ from the twin to OUT; returns the size. */
uint64_t cape_log_encode(struct cape_runtime *runtime, unsigned char *out);

/* Shared memory and its twin, to apply exact runs to. */
struct cape_exact_memory cape_log_memory(struct cape_runtime *runtime);
/* Ends the run: NODE's checkpoint cannot be applied. */
void cape_log_fail(struct cape_runtime *runtime, unsigned node) __attribute__((noreturn));

#endif
