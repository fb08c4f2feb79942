/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * job.h - the parts of a construct's work: the arithmetic.
 */
#ifndef CAPE_JOB_H
#define CAPE_JOB_H

#include "base/model.h"

/* The part of WORK that is WORKER's among WORKERS, who count from 0. */
struct cape_job cape_job_make(const struct cape_work *work, unsigned long worker,
			      unsigned long workers);

/* The next iterations LEFT .. RIGHT - 1 of the job; false: there are none. */
bool cape_job_next(struct cape_job *job, unsigned long *left, unsigned long *right);

#endif
