/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jobs.c - dividing a construct's work, and handing out the parts as checkpoints.
 */
#include "model/jobs.h"

#include <string.h>
#include "base/method.h"
#include "channel/capture.h"
#include "message/message.h"
#include "profile/profile.h"
#include "sync/sync_point.h"

/* A job on its way: LEFT..RIGHT, the master's registers, the time-stamp. */
struct job_checkpoint {
	struct cape_job job;
	uint64_t time_stamp;
	uint64_t registers_size;
	unsigned char registers[];
};

void cape_job_make_own(const struct cape_runtime *runtime, struct cape_work *work)
{
	work->job = cape_job_make(work, runtime->thread, runtime->team);
}

/* After the table of parts, one job for each node of the team. */
static void put_jobs(struct cape_runtime *runtime, const struct cape_work *work, unsigned first)
{
	unsigned char *start = (unsigned char *)runtime->channel + CAPE_CHANNEL_OUT;
	struct cape_channel_message *part = (struct cape_channel_message *)start;
	uint64_t registers = 0, used = cape_message_padded(runtime->nodes * sizeof(*part));

	if (runtime->method->take_registers)
		registers = runtime->method->take_registers(runtime);
	memset(part, 0, runtime->nodes * sizeof(*part));
	for (unsigned node = first; node < runtime->team; node++) {
		struct job_checkpoint *to = (struct job_checkpoint *)(start + used);

		to->job = cape_job_make(work, node - first, runtime->team - first);
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

void cape_jobs_hand_out(struct cape_runtime *runtime, struct cape_work *work, unsigned first)
{
	enum cape_phase phase = cape_profile_phase(runtime, CAPE_PHASE_EXCHANGE);
	uint64_t started = cape_now();

	if (runtime->node == 0)
		put_jobs(runtime, work, first);
	cape_channel_request(runtime->channel, CAPE_REQUEST_SCATTER);
	if (runtime->node > 0)
		receive_job(runtime, work);
	runtime->channel->statistics.fork_time += cape_now() - started;
	cape_profile_phase(runtime, phase);
}

bool cape_job_take(struct cape_runtime *runtime, struct cape_work *work)
{
	if (work->has_job)
		return work->job.workers > 0;
	work->has_job = true;
	if (!cape_is_shared_out(runtime) || runtime->team == 1)
		cape_job_make_own(runtime, work);
	else
		runtime->model->take_job(runtime, work);
	return work->job.workers > 0;
}
