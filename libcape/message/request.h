/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * request.h - asking the monitors between sync points (channel/service.h).
 */
#ifndef CAPE_REQUEST_H
#define CAPE_REQUEST_H

#include "base/context.h"
#include "channel/service.h"

struct cape_service {
	uint64_t seen; /* entries of the log that this node has: what the next request says */
	/* Takes the entries that come with a reply; the log's. */
	void (*take)(struct cape_runtime *runtime, const struct cape_service_reply *reply);
	/* Takes those up to END that are on the board; returns how many of other nodes. */
	uint64_t (*take_from_board)(struct cape_runtime *runtime, uint64_t end);
	struct cape_service_reply reply; /* of the board */
	unsigned idle;			 /* locks and flushes since one brought or gave something */
	bool busy;			 /* one is under way */
};

/* How much of the payload goes to the log. */
uint64_t cape_request_published(const struct cape_service_request *request);

/* Where the payload of the next request lies. */
unsigned char *cape_request_payload(struct cape_runtime *runtime);

/*
 * Asks, on the board where there is one, with the REQUEST.size bytes of payload, and has the
 * entries taken that come with the reply, which stays where it is until the next request.
 */
const struct cape_service_reply *cape_request(struct cape_runtime *runtime,
					      struct cape_service_request request);

/*
 * Until REQUEST, which has a tag and was answered 0, has what it asks for; but for its entries.
 * Others of the node ask meanwhile.
 */
void cape_request_await(struct cape_runtime *runtime, const struct cape_service_request *request);

#endif
