// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * spmd.c - model spmd: every node knows its job, and all nodes exchange their checkpoints.
 */
#include "base/context.h"
#include "message/port.h"
#include "model/jobs.h"

static void take_job(struct cape_runtime *runtime, struct cape_work *work)
{
	cape_job_make_own(runtime, work);
}

static void exchange(struct cape_runtime *runtime)
{
	cape_port(runtime)->meet(runtime);
}

const struct cape_model cape_model_spmd = {.take_job = take_job, .exchange = exchange};
