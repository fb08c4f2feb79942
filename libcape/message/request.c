// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * request.c - one request to the monitor's service, and its reply.
 */
#include "message/request.h"

#include <string.h>
#include "memory/mapping.h"
#include "profile/profile.h"

CAPE_PART(service, NULL);

unsigned char *cape_request_payload(struct cape_runtime *runtime)
{
	return (unsigned char *)runtime->channel + CAPE_SERVICE_OUT +
	       sizeof(struct cape_service_request);
}

const struct cape_service_reply *cape_request(struct cape_runtime *runtime,
					      struct cape_service_request request)
{
	char *channel = (char *)runtime->channel;
	struct cape_service *service = runtime->service;
	const struct cape_service_reply *reply =
		(const struct cape_service_reply *)(channel + CAPE_SERVICE_IN);
	enum cape_phase phase = cape_profile_phase(runtime, CAPE_PHASE_WAIT);
	uint64_t started = cape_now();

	request.seen = service->seen;
	memcpy(channel + CAPE_SERVICE_OUT, &request, sizeof(request));
	cape_channel_request(runtime->channel, CAPE_REQUEST_SERVICE);
	runtime->channel->statistics.exchange_time += cape_now() - started;
	cape_profile_phase(runtime, CAPE_PHASE_MERGE);
	if (reply->entries || reply->seen != service->seen)
		service->take(runtime, reply);
	service->seen = reply->seen;
	cape_mapping_close(runtime);
	cape_profile_phase(runtime, phase);
	return reply;
}
