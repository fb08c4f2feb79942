/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * model.h - the execution models: who gets which job, and how results come together.
 *
 * spmd: every node computes its own share, checkpoints are exchanged by all.  scatter: the master
 * hands out the jobs as checkpoints, one to each node, itself included.  master-slave: it hands
 * them to the other nodes only, collects their checkpoints, merges these, and sends all the result.
 */
#ifndef CAPE_MODEL_H
#define CAPE_MODEL_H

#include "message/message.h"
#include "base/context.h"

/* This node's part of a construct, as handed out. */
struct cape_job {
	unsigned long left, right; /* the next iterations: LEFT .. RIGHT - 1 */
	unsigned long chunk;	   /* then every WORKERS-th chunk; 0: no more */
	unsigned long last;
	unsigned long worker, workers; /* whose it is, among how many; none: no work */
	bool valid;		       /* there are next iterations */
};

/* What a construct shares out, and this node's part of it. */
struct cape_work {
	unsigned long first, last; /* iterations or sections first .. last - 1 */
	unsigned long chunk;	   /* of the schedule; 0: static, one block for each node */
	struct cape_job job;
	bool has_job;
};

/* Whether results go by way of the master. */
static inline bool cape_model_is_master_slave(const struct cape_runtime *runtime)
{
	return runtime->nodes > 1 && runtime->channel->model == CAPE_MODEL_MASTER_SLAVE;
}

/* Whether this node gets the result from the master. */
static inline bool cape_model_is_slave(const struct cape_runtime *runtime)
{
	return cape_model_is_master_slave(runtime) && runtime->node > 0;
}

/*
 * Makes sure that WORK has its job: in spmd, and in a team of one, this node's own part;
 * else what the master sends, with which all nodes of the team are here.  False: no work.
 */
bool cape_model_take_job(struct cape_runtime *runtime, struct cape_work *work);

/* The next iterations LEFT .. RIGHT - 1 of the job; false: there are none. */
bool cape_job_next(struct cape_job *job, unsigned long *left, unsigned long *right);

/* Hands this node's message over, and brings those of the others that it needs. */
void cape_model_exchange(struct cape_runtime *runtime);

/* The master, when all is merged and memory holds the result: sends it to all. */
void cape_model_send_result(struct cape_runtime *runtime, enum cape_sync_kind kind);

#endif
