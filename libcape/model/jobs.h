/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jobs.h - the parts of a construct's work: who gets which.
 */
#ifndef CAPE_JOBS_H
#define CAPE_JOBS_H

#include "base/context.h"
#include "base/job.h"
#include "base/model.h"

/*
 * Makes sure that WORK has its job: in a team of one, this node's own part; else as the model says,
 * with all nodes of the team.  False: no work.
 */
bool cape_job_take(struct cape_runtime *runtime, struct cape_work *work);

/* For models.  The job that is this node's without asking. */
void cape_job_make_own(const struct cape_runtime *runtime, struct cape_work *work);

/*
 * The master sends one job to each node of the team from node FIRST on; the others receive it.  All
 * nodes are here.
 */
void cape_jobs_hand_out(struct cape_runtime *runtime, struct cape_work *work, unsigned first);

#endif
