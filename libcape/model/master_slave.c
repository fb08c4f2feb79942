// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * master_slave.c - model master-slave (CAPE-2): the master hands out the jobs to the other nodes as
 * checkpoints, collects theirs, merges these, and sends all nodes the result.
 */
#include <string.h>
#include "base/context.h"
#include "channel/capture.h"
#include "message/exchange.h"
#include "message/message.h"
#include "model/jobs.h"
#include "sync/reduction_list.h"
#include "sync/sync_point.h"

/* The master computes nothing. */
static void take_job(struct cape_runtime *runtime, struct cape_work *work)
{
	cape_jobs_hand_out(runtime, work, 1);
}

static void exchange(struct cape_runtime *runtime)
{
	runtime->exchange->by_master = runtime->node > 0;
	cape_channel_request(runtime->channel, CAPE_REQUEST_GATHER);
	if (runtime->node > 0)
		cape_channel_request(runtime->channel, CAPE_REQUEST_BROADCAST);
}

/* Kept apart: the out area is about to be written anew. */
static uint64_t keep_copyprivate(struct cape_runtime *runtime)
{
	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct cape_message *message = cape_exchange_message(runtime, node);
		uint64_t size = message->size[CAPE_SECTION_COPYPRIVATE];

		if (!size)
			continue;
		if (node != runtime->node)
			memcpy(runtime->sync->copyprivate,
			       cape_message_get(message, CAPE_SECTION_COPYPRIVATE), size);
		return size;
	}
	return 0;
}

static void put_result(struct cape_runtime *runtime)
{
	struct cape_message header = *cape_exchange_message(runtime, 0);
	uint64_t copyprivate = keep_copyprivate(runtime);
	struct cape_message_writer writer;

	cape_reduction_list_results(runtime);
	cape_message_begin(&writer, runtime->channel, (enum cape_sync_kind)header.kind);
	memset(header.size, 0, sizeof(header.size));
	*cape_message_header(&writer) = header;
	cape_sync_put_runs(runtime, &writer, &runtime->sync->merged);
	cape_exchange_put(runtime, &writer, CAPE_SECTION_REDUCTION, runtime->sync->reduction,
			  runtime->sync->reduction_size);
	cape_exchange_put(runtime, &writer, CAPE_SECTION_COPYPRIVATE, runtime->sync->copyprivate,
			  copyprivate);
	if (header.kind == CAPE_SYNC_END)
		cape_sync_put_files(runtime, &writer);
	cape_exchange_put(runtime, &writer, CAPE_SECTION_REGISTERS,
			  (char *)runtime->channel + CAPE_CHANNEL_REGISTERS,
			  runtime->channel->capture.registers_size);
	cape_message_end(&writer);
}

static void send_result(struct cape_runtime *runtime)
{
	if (runtime->node > 0)
		return;
	put_result(runtime);
	cape_channel_request(runtime->channel, CAPE_REQUEST_BROADCAST);
}

const struct cape_model cape_model_master_slave = {
	.hands_out = true,
	.by_master = true,
	.take_job = take_job,
	.exchange = exchange,
	.send_result = send_result,
};
