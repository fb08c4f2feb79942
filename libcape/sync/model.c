/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * model.c - jobs as checkpoints, and results by way of the master.
 */
#include "sync/model.h"

#include <string.h>
#include "channel/capture.h"
#include "checkpoint/wire.h"
#include "memory/agent.h"
#include "memory/frame.h"
#include "sync/reduction_list.h"
#include "sync/sync_point.h"
#include "memory/area.h"

/* A job on its way: LEFT..RIGHT, the master's registers, the time-stamp. */
struct job_checkpoint {
	struct cape_job job;
	uint64_t time_stamp;
	uint64_t registers_size;
	unsigned char registers[];
};

/* The part of WORK that is WORKER's among WORKERS, who count from 0. */
static struct cape_job make_job(const struct cape_work *work, unsigned long worker,
				unsigned long workers)
{
	unsigned long count = work->last - work->first, start;
	unsigned long each = count / workers, more = count % workers;
	struct cape_job job = {.worker = worker, .workers = workers, .last = work->last};

	if (work->first >= work->last)
		return job;
	if (!work->chunk) {
		job.left = work->first + worker * each + (worker < more ? worker : more);
		job.right = job.left + each + (worker < more);
		job.valid = job.left < job.right;
		return job;
	}
	if (__builtin_mul_overflow(worker, work->chunk, &start) || start >= count)
		return job;
	job.left = work->first + start;
	job.right = job.left + (count - start < work->chunk ? count - start : work->chunk);
	job.chunk = work->chunk;
	job.valid = true;
	return job;
}

bool cape_job_next(struct cape_job *job, unsigned long *left, unsigned long *right)
{
	unsigned long stride, next;

	if (!job->valid)
		return false;
	*left = job->left;
	*right = job->right;
	job->valid = job->chunk && !__builtin_mul_overflow(job->chunk, job->workers, &stride) &&
		     !__builtin_add_overflow(job->left, stride, &next) && next < job->last;
	if (!job->valid)
		return true;
	job->left = next;
	job->right = job->last - next < job->chunk ? job->last : next + job->chunk;
	return true;
}

/* The master computes nothing, unless nobody else does. */
static unsigned first_worker(const struct cape_runtime *runtime)
{
	return cape_model_is_master_slave(runtime) && runtime->team > 1 ? 1 : 0;
}

/* Behind the table of parts, one job for each node of the team. */
static void put_jobs(struct cape_runtime *runtime, const struct cape_work *work)
{
	unsigned char *start = (unsigned char *)runtime->channel + CAPE_CHANNEL_OUT;
	struct cape_channel_message *part = (struct cape_channel_message *)start;
	uint64_t registers = 0, used = cape_message_padded(runtime->nodes * sizeof(*part));
	unsigned first = first_worker(runtime);

	if (runtime->areas->captured) {
		cape_agent_request(runtime->channel, CAPE_REQUEST_REGISTERS);
		registers = runtime->channel->capture.registers_size;
	}
	memset(part, 0, runtime->nodes * sizeof(*part));
	for (unsigned node = first; node < runtime->team; node++) {
		struct job_checkpoint *to = (struct job_checkpoint *)(start + used);

		to->job = make_job(work, node - first, runtime->team - first);
		to->time_stamp = to->job.right;
		to->registers_size = registers;
		memcpy(to->registers, (char *)runtime->channel + CAPE_CHANNEL_REGISTERS, registers);
		part[node].offset = used;
		part[node].size = sizeof(*to) + registers;
		used += cape_message_padded(part[node].size);
	}
	runtime->channel->out_size = used;
}

/* The master's registers travel too; they are not injected (thesis 2.4.3.1). */
static void receive_job(struct cape_runtime *runtime, struct cape_work *work)
{
	const struct cape_channel *channel = runtime->channel;
	struct cape_channel_message in = channel->in[0];
	const struct job_checkpoint *from;

	if (in.size < sizeof(*from) || in.offset > CAPE_CHANNEL_LIMIT - in.size)
		cape_fail(runtime, 0, "the master's job for node %u is malformed", runtime->node);
	from = (const struct job_checkpoint *)((const char *)channel + CAPE_CHANNEL_IN + in.offset);
	work->job = from->job;
	runtime->sync->time_stamp = from->time_stamp;
}

static void hand_out(struct cape_runtime *runtime, struct cape_work *work)
{
	uint64_t started = cape_now();
	unsigned first = first_worker(runtime);

	if (runtime->node == 0)
		put_jobs(runtime, work);
	cape_channel_request(runtime->channel, CAPE_REQUEST_SCATTER);
	if (runtime->node > 0)
		receive_job(runtime, work);
	else if (first == 0)
		work->job = make_job(work, 0, runtime->team);
	runtime->channel->statistics.fork_time += cape_now() - started;
}

bool cape_model_take_job(struct cape_runtime *runtime, struct cape_work *work)
{
	bool alone = !cape_is_shared_out(runtime) || runtime->team == 1;

	if (work->has_job)
		return work->job.workers > 0;
	work->has_job = true;
	if (alone || runtime->channel->model == CAPE_MODEL_SPMD)
		work->job = make_job(work, runtime->thread, runtime->team);
	else
		hand_out(runtime, work);
	return work->job.workers > 0;
}

void cape_model_exchange(struct cape_runtime *runtime)
{
	if (runtime->nodes == 1)
		return;
	if (!cape_model_is_master_slave(runtime)) {
		cape_channel_request(runtime->channel, CAPE_REQUEST_EXCHANGE);
		return;
	}
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

void cape_model_send_result(struct cape_runtime *runtime, enum cape_sync_kind kind)
{
	struct cape_message header = *cape_exchange_message(runtime, 0);
	uint64_t copyprivate = keep_copyprivate(runtime);
	struct cape_message_writer writer;

	cape_reduction_list_results(runtime);
	cape_message_begin(&writer, runtime->channel, kind);
	memset(header.size, 0, sizeof(header.size));
	*cape_message_header(&writer) = header;
	cape_sync_put_runs(runtime, &writer, &runtime->sync->merged);
	cape_exchange_put(runtime, &writer, CAPE_SECTION_REDUCTION, runtime->sync->reduction,
			  runtime->sync->reduction_size);
	cape_exchange_put(runtime, &writer, CAPE_SECTION_COPYPRIVATE, runtime->sync->copyprivate,
			  copyprivate);
	if (kind == CAPE_SYNC_END) {
		cape_sync_put_files(runtime, &writer);
		cape_sync_put_frame(runtime, &writer);
	}
	cape_exchange_put(runtime, &writer, CAPE_SECTION_REGISTERS,
			  (char *)runtime->channel + CAPE_CHANNEL_REGISTERS,
			  runtime->channel->capture.registers_size);
	cape_message_end(&writer);
	cape_channel_request(runtime->channel, CAPE_REQUEST_BROADCAST);
}
