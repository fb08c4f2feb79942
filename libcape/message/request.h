/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * request.h - asking the monitors between sync points (channel/service.h).
 */
#ifndef CAPE_REQUEST_H
#define CAPE_REQUEST_H

#include "message/port.h"

/* How much of the payload goes to the log. */
uint64_t cape_request_published(const struct cape_service_request *request);

/* Ends the run: the request breaks the rules, as WHAT says to the user. */
void cape_request_fail(struct cape_runtime *runtime, const char *what) __attribute__((noreturn));

/* Around a request and the taking of what it brings: one thread at a time makes one. */
void cape_request_enter(struct cape_runtime *runtime);
void cape_request_leave(struct cape_runtime *runtime);

/* Where the payload of the next request lies. */
unsigned char *cape_request_payload(struct cape_runtime *runtime);

/*
 * Asks, with the REQUEST.size bytes of payload, and has the entries taken that come with the reply,
 * which stays where it is until the next request.  NULL: requests of that kind are not answered.
 */
const struct cape_service_reply *cape_request(struct cape_runtime *runtime,
					      struct cape_service_request request);

#endif
