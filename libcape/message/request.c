// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * request.c - one request to the service, and what comes with its reply.
 */
#include "message/request.h"

#include <errno.h>
#include "base/ordering.h"
#include "memory/mapping.h"
#include "profile/profile.h"

CAPE_PART(service, NULL);

unsigned char *cape_request_payload(struct cape_runtime *runtime)
{
	return (unsigned char *)runtime->channel + CAPE_SERVICE_OUT +
	       sizeof(struct cape_service_request);
}

uint64_t cape_request_published(const struct cape_service_request *request)
{
	switch (request->kind) {
	case CAPE_SERVICE_TASK_POST:
		return request->task_post.published;
	case CAPE_SERVICE_FILE:
		return 0;
	default:
		return request->size;
	}
}

void cape_request_fail(struct cape_runtime *runtime, const char *what)
{
	cape_fail(runtime, 0, "node %u: at or after %s:%d: %s", runtime->node,
		  runtime->channel->state.file, runtime->channel->state.line, what);
}

void cape_request_enter(struct cape_runtime *runtime)
{
	runtime->ordering->begin_access(runtime);
	if (runtime->service->busy)
		cape_request_fail(runtime,
				  "a signal handler has interrupted a request to the monitors and "
				  "makes another request, by a lock or a file that nodes share; "
				  "let the handler only set a variable");
	runtime->service->busy = true;
}

void cape_request_leave(struct cape_runtime *runtime)
{
	cape_mapping_close(runtime);
	runtime->service->busy = false;
	runtime->ordering->end_access(runtime);
}

const struct cape_service_reply *cape_request(struct cape_runtime *runtime,
					      struct cape_service_request request)
{
	enum cape_phase phase = cape_profile_phase(runtime, CAPE_PHASE_WAIT);
	struct cape_service *service = runtime->service;
	struct cape_service_reply *reply;
	uint64_t started = cape_now();
	int saved_errno = errno;
	bool is_answered = cape_service_is_answered(request.kind);
	cape_port_call *make;

	cape_request_enter(runtime);
	make = is_answered ? service->port->call : service->port->post;
	service->request = request;
	reply = make(runtime, &service->request);
	runtime->channel->statistics.exchange_time += cape_now() - started;
	cape_profile_phase(runtime, CAPE_PHASE_MERGE);
	if (is_answered)
		reply->entries = service->take(runtime);
	if (is_answered && reply->entries)
		service->idle = 0;
	cape_request_leave(runtime);
	cape_profile_phase(runtime, phase);
	errno = saved_errno;
	return reply;
}
