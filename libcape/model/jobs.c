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

#define STEP_LEAST  512ul
#define STEP_MOST   4096ul
#define STEPS_LEAST 32ul /* of a part */
#define STEPS_LIKED 64ul /* of one, where steps are longer than they must be */

/* A job on its way: LEFT..RIGHT, the master's registers, the time-stamp. */
struct job_checkpoint {
	struct cape_job job;
	uint64_t time_stamp;
	uint64_t registers_size;
	unsigned char registers[];
};

/*
 * Where parts begin, so that pages of an array have one writer each: as a rule, iteration N writes
 * element N, and 512 elements of 8 bytes are a page.  Parts must be long, not to differ by much.
 */
static unsigned long step_of(unsigned long each)
{
	unsigned long step = STEP_LEAST;

	if (each < STEP_LEAST * STEPS_LEAST)
		return 1;
	while (step < STEP_MOST && each >= 2 * step * STEPS_LIKED)
		step *= 2;
	return step;
}

/* The first of COUNT iterations that is WORKER's or a later one's. */
static unsigned long start_of(unsigned long count, unsigned long worker, unsigned long workers)
{
	unsigned long each = count / workers, more = count % workers, step = step_of(each);

	if (worker == workers)
		return count;
	return (worker * each + (worker < more ? worker : more) + step / 2) / step * step;
}

/* The part of WORK that is WORKER's among WORKERS, who count from 0. */
static struct cape_job make_job(const struct cape_work *work, unsigned long worker,
				unsigned long workers)
{
	unsigned long count = work->last - work->first, start;
	struct cape_job job = {.worker = worker, .workers = workers, .last = work->last};

	if (work->first >= work->last)
		return job;
	if (!work->chunk) {
		job.left = work->first + start_of(count, worker, workers);
		job.right = work->first + start_of(count, worker + 1, workers);
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

void cape_job_make_own(const struct cape_runtime *runtime, struct cape_work *work)
{
	work->job = make_job(work, runtime->thread, runtime->team);
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

/* Behind the table of parts, one job for each node of the team. */
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
	bool alone = !cape_is_shared_out(runtime) || runtime->team == 1;

	if (work->has_job)
		return work->job.workers > 0;
	work->has_job = true;
	if (alone)
		cape_job_make_own(runtime, work);
	else
		runtime->model->take_job(runtime, work);
	return work->job.workers > 0;
}
