// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * job.c - the parts of a construct's work: the arithmetic.
 */
#include "base/job.h"

#define STEP_LEAST  512ul
#define STEP_MOST   4096ul
#define STEPS_LEAST 32ul /* of a part */
#define STEPS_LIKED 64ul /* of one, where steps are longer than they must be */

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

/* As many iterations as JOB has of COUNT, as far from the end as they are from the beginning. */
static void mirror(struct cape_job *job, unsigned long count)
{
	unsigned long left = job->left;

	job->left = count - job->right;
	job->right = count - left;
}

struct cape_job cape_job_make(const struct cape_work *work, unsigned long worker,
			      unsigned long workers)
{
	unsigned long count = work->last - work->first, start;
	struct cape_job job = {.worker = worker, .workers = workers, .last = work->last};

	if (work->first >= work->last)
		return job;
	if (!work->chunk) {
		job.left = start_of(count, worker, workers);
		job.right = start_of(count, worker + 1, workers);
		job.valid = job.left < job.right;
		if (work->from_end)
			mirror(&job, count);
		job.left += work->first;
		job.right += work->first;
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
