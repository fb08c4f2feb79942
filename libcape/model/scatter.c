// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * scatter.c - model scatter (SoICT 2017): the master hands out the jobs as checkpoints, one to each
 * node, itself included, and all nodes exchange their checkpoints.
 */
#include "base/context.h"
#include "model/jobs.h"

static void take_job(struct cape_runtime *runtime, struct cape_work *work)
{
	cape_jobs_hand_out(runtime, work, 0);
	if (runtime->node == 0)
		cape_job_make_own(runtime, work);
}

static void exchange(struct cape_runtime *runtime)
{
	cape_channel_request(runtime->channel, CAPE_REQUEST_EXCHANGE);
}

const struct cape_model cape_model_scatter = {
	.hands_out = true,
	.take_job = take_job,
	.exchange = exchange,
};
