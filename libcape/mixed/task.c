// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * task.c - tasks that threads of any node may run: which of those that a single construct makes are
 * handed over, and what threads do until all are done.
 *
 * Handing over costs a request and a checkpoint, so it pays only for tasks that last: now and then
 * one runs where it is made, and is timed.  Tasks that last are shared out over nodes, those of
 * this node being run by its threads as any; who has none asks for one that was handed over.  One
 * thread of a node does so at a time: until it is called it only looks at its own node's.  Tasks
 * inside tasks stay on their node.
 */
#include <string.h>
#include "base/ordering.h"
#include "message/port.h"
#include "message/request.h"
#include "mixed/mixed.h"
#include "openmp/task.h"
#include "sync/log.h"
#include "threads/news.h"
#include "threads/process.h"
#include "threads/task.h"

#pragma weak cape_tasks_of_nodes
#pragma weak cape_task_reductions_of_nodes

#define WORTH_POSTING 200000u /* nanoseconds */
#define SAMPLE_EVERY  4u      /* tasks for each thread of the team; then one is timed */
#define LOOK_EVERY    1000u   /* microseconds, at this node's tasks */

/* What a thread knows of the tasks that it makes. */
struct maker {
	int label, flags; /* of the next one, */
	size_t room;	  /* and of its data */
	uint64_t group;
	uint64_t made, posted; /* of that group */
};

struct cape_mixed_tasks {
	uint32_t asker;	    /* the thread that asks for tasks */
	uint64_t called_as; /* the group for which it is called */
	uint64_t over;	    /* all groups up to this one are; they come in their order */
	const struct cape_place *place;
	uint64_t duration[CAPE_TASK_LABELS]; /* at that place; 0: not known */
	struct maker *maker;		     /* by thread */
};

/* What is sent of a task after its data. */
struct sent {
	void (*body)(void *data);
	uint64_t alignment;
};

struct taken {
	enum cape_task_result result;
	uint64_t number;
	struct sent sent;
	void *block; /* the data's */
	void *data;
	size_t size;
};

static void start(struct cape_runtime *runtime)
{
	runtime->mixed_tasks->maker = cape_must_reserve(
		runtime, (runtime->threads + 1) * sizeof(*runtime->mixed_tasks->maker));
}

CAPE_PART_OF_NODES(mixed_tasks, start);

/* NULL: WORKER is none of the team's, but a thread that the program has made. */
static struct maker *maker_of(const struct cape_worker *worker)
{
	return cape_worker_shares(worker) ? &cape_runtime->mixed_tasks->maker[worker->id - 1]
					  : NULL;
}

/* The construct, if WORKER is in a single that makes tasks, and in none of these; else NULL. */
static struct cape_construct *single_of(struct cape_worker *worker)
{
	struct cape_construct *construct;

	if (!cape_worker_shares(worker) || worker->tasks.running || cape_runtime->team < 2)
		return NULL;
	construct = cape_worker_innermost(worker);
	return construct->directive == CAPE_SINGLE || construct->directive == CAPE_SINGLE_NOWAIT
		       ? construct
		       : NULL;
}

/* -- handing over ------------------------------------------------------------------------------ */

/* What is known of durations stays as long as it is about the same construct. */
static void begin_group(struct maker *maker, const struct cape_construct *single, uint64_t group)
{
	struct cape_mixed_tasks *tasks = cape_runtime->mixed_tasks;

	if (maker->group == group)
		return;
	maker->group = group;
	maker->made = maker->posted = 0;
	if (tasks->place != single->place)
		memset(tasks->duration, 0, sizeof(tasks->duration));
	tasks->place = single->place;
}

static void post(struct maker *maker, const struct cape_task_made *made, int label)
{
	struct cape_runtime *runtime = cape_runtime;
	struct sent sent = {made->body, made->in_room ? _Alignof(max_align_t) : made->alignment};
	size_t size = made->in_room ? maker->room : made->size;
	struct cape_service_request request = {.kind = CAPE_SERVICE_TASK_POST,
					       .id = maker->group,
					       .task_post.label = (uint64_t)label};
	unsigned char *to;

	runtime->ordering->speak(runtime);
	request.task_post.published = cape_log_collect_release(runtime);
	to = cape_request_payload(runtime) + request.task_post.published;
	memcpy(to, made->data, size);
	memcpy(to + size, &sent, sizeof(sent));
	request.size = request.task_post.published + size + sizeof(sent);
	cape_log_ask(runtime, request);
	runtime->ordering->be_silent(runtime);
	maker->posted++;
}

/* Here and now, with all that it makes; of which others of this node may run some. */
static void run_whole(struct cape_worker *worker, const struct cape_task_made *made)
{
	cape_thread_taskgroup_begin();
	worker->tasks.flags = CAPE_TASK_UNDEFERRED;
	cape_thread_task_made(made);
	cape_thread_taskgroup_end_at(NULL);
}

/* For others of its kind. */
static void run_timed(struct cape_worker *worker, const struct cape_task_made *made, int label)
{
	uint64_t before = cape_now(), after;

	run_whole(worker, made);
	after = cape_now();
	cape_runtime->mixed_tasks->duration[label] = after > before ? after - before : 1;
}

/* Whether that is done with MADE, one of a kind. */
static bool hand_over(struct cape_worker *worker, struct maker *maker,
		      const struct cape_task_made *made, int label)
{
	const struct cape_runtime *runtime = cape_runtime;
	uint64_t duration = runtime->mixed_tasks->duration[label], all = worker->team->size;
	uint64_t number = maker->made++;

	if (duration ? number % (SAMPLE_EVERY * all) == 0 : number >= all - 1) {
		run_timed(worker, made, label);
		return true;
	}
	if (duration && (duration < WORTH_POSTING || number % runtime->team == 0))
		return false;
	post(maker, made, label);
	if (made->in_room)
		cape_task_drop_room(worker);
	return true;
}

static void mixed_task_made(const struct cape_task_made *made)
{
	struct cape_worker *worker = cape_mixed_worker();
	const struct cape_construct *single = worker ? single_of(worker) : NULL;
	struct maker *maker = worker ? maker_of(worker) : NULL;
	int label = maker ? maker->label : 0, flags = maker ? maker->flags : 0;

	if (!worker) {
		cape_tasks_of_nodes.task_made(made);
		return;
	}
	if (maker)
		maker->label = maker->flags = 0;
	if (single && single->ran_single && label > 0 && (unsigned long)label < CAPE_TASK_LABELS &&
	    !flags && !made->copy && !&cape_task_reductions_of_nodes) {
		begin_group(maker, single, cape_mixed_single_number(worker));
		if (hand_over(worker, maker, made, label))
			return;
	}
	cape_thread_task_made(made);
}

/* -- taking ------------------------------------------------------------------------------------ */

static bool is_over(uint64_t group)
{
	return __atomic_load_n(&cape_runtime->mixed_tasks->over, __ATOMIC_ACQUIRE) >= group;
}

/* The task's data, which are there until the next request. */
static void copy_taken(struct taken *taken, const struct cape_service_reply *reply)
{
	const struct cape_log *log = cape_runtime->log;
	uintptr_t address;

	if (log->task_size < sizeof(taken->sent))
		cape_fail(cape_runtime, 0,
			  "a task came with too few values; are the binaries the same on all "
			  "nodes?");
	taken->number = reply->task.number;
	taken->size = log->task_size - sizeof(taken->sent);
	memcpy(&taken->sent, log->task + taken->size, sizeof(taken->sent));
	taken->block = cape_must_resize(NULL, taken->size + taken->sent.alignment);
	address = (uintptr_t)taken->block;
	taken->data = (void *)(address + (-address & (taken->sent.alignment - 1)));
	memcpy(taken->data, log->task, taken->size);
}

/* By the thread that asks. */
static struct taken take(uint64_t group)
{
	struct cape_runtime *runtime = cape_runtime;
	struct cape_mixed_tasks *tasks = runtime->mixed_tasks;
	struct taken taken = {.result = CAPE_TASK_LATER};
	const struct cape_service_reply *reply;

	if (tasks->called_as == group)
		return taken;
	runtime->ordering->speak(runtime);
	reply = cape_log_ask(runtime,
			     (struct cape_service_request){.kind = CAPE_SERVICE_TASK_TAKE,
							   .tag = CAPE_TAG_OF_TASKS,
							   .id = group,
							   .task_take.nodes = runtime->team});
	taken.result = (enum cape_task_result)reply->result;
	if (taken.result == CAPE_TASK_GOT)
		copy_taken(&taken, reply);
	runtime->ordering->be_silent(runtime);
	if (taken.result == CAPE_TASK_LATER)
		tasks->called_as = group;
	else if (taken.result == CAPE_TASK_NONE)
		__atomic_store_n(&tasks->over, group, __ATOMIC_RELEASE);
	return taken;
}

/* Whether this thread was called, in the time until the next look at this node's tasks. */
static bool is_called(void)
{
	const struct cape_service_request request = {.kind = CAPE_SERVICE_TASK_TAKE,
						     .tag = CAPE_TAG_OF_TASKS};

	if (!cape_port(cape_runtime)->await(cape_runtime, &request, LOOK_EVERY))
		return false;
	cape_runtime->mixed_tasks->called_as = 0;
	return true;
}

/* It is done when all that comes from it is. */
static void run_taken(struct cape_worker *worker, uint64_t group, const struct taken *taken)
{
	struct cape_runtime *runtime = cape_runtime;
	struct cape_service_request done = {
		.kind = CAPE_SERVICE_TASK_DONE, .id = group, .task_done.number = taken->number};

	run_whole(worker, &(struct cape_task_made){.body = taken->sent.body,
						   .data = taken->data,
						   .size = taken->size,
						   .alignment = taken->sent.alignment});
	cape_release(taken->block);
	/* The child of a fork() in the task is no part of the run. */
	if (!cape_worker_shares(worker))
		return;
	runtime->ordering->speak(runtime);
	done.size = cape_log_collect_release(runtime);
	cape_log_ask(runtime, done);
	runtime->ordering->be_silent(runtime);
}

/* Another thread of the node may ask now. */
static void leave_asking(struct cape_worker *worker, bool asks)
{
	if (!asks)
		return;
	cape_word_unlock(&cape_runtime->mixed_tasks->asker);
	cape_task_news(worker);
}

static uint32_t news_of(const struct cape_worker *worker)
{
	return __atomic_load_n(&worker->team->barrier.word, __ATOMIC_ACQUIRE);
}

/*
 * Runs one task, which comes from ROOT if that is not NULL, or of GROUP; or waits for news since
 * SEEN, after which the caller has found that there is something to wait for.
 */
static void run_one(struct cape_worker *worker, uint64_t group, const struct cape_task *root,
		    uint32_t seen)
{
	uint32_t *asker = &cape_runtime->mixed_tasks->asker;
	bool asks = false, called = false;

	/* Of what this thread waits for the thread that asked before may have been called. */
	while (!called && !is_over(group) && (!asks || news_of(worker) == seen)) {
		struct cape_search search = {.root = root};
		struct cape_task *task = cape_task_find(worker, &search);
		struct taken taken;

		if (task) {
			leave_asking(worker, asks);
			cape_task_run_waiting(worker, task);
			return;
		}
		if (!asks && !cape_word_try(asker, worker->id)) {
			cape_task_idle(worker, seen, &search);
			return;
		}
		asks = true;
		taken = take(group);
		if (taken.result == CAPE_TASK_GOT) {
			leave_asking(worker, true);
			run_taken(worker, group, &taken);
			return;
		}
		called = taken.result == CAPE_TASK_LATER && is_called();
	}
	leave_asking(worker, asks);
}

/* -- waiting ----------------------------------------------------------------------------------- */

/* Until all tasks of the single construct are done. */
static void mixed_tasks_run(void)
{
	struct cape_worker *worker = cape_mixed_worker();
	const struct cape_construct *single = worker ? single_of(worker) : NULL;
	struct cape_runtime *runtime = cape_runtime;
	uint64_t group;
	uint32_t seen;

	if (!worker)
		cape_tasks_of_nodes.tasks_run();
	if (!single)
		return;
	group = cape_mixed_single_number(worker);
	if (single->ran_single) {
		runtime->ordering->speak(runtime);
		cape_log_ask(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_TASK_CLOSE,
								    .id = group});
		runtime->ordering->be_silent(runtime);
	}
	for (seen = news_of(worker); !is_over(group) && cape_worker_shares(worker);
	     seen = news_of(worker))
		run_one(worker, group, NULL, seen);
}

static bool are_done(uint64_t group)
{
	return cape_mixed_ask((struct cape_service_request){
		.kind = CAPE_SERVICE_TASK_WAIT, .tag = CAPE_TAG_OF_TASKS, .id = group});
}

/* Tasks of this node are done; those that were handed over may not be. */
static void await_posted(struct cape_worker *worker)
{
	struct maker *maker = maker_of(worker);
	uint32_t seen;

	if (!single_of(worker) || !maker->posted)
		return;
	for (seen = news_of(worker); cape_worker_shares(worker) && !are_done(maker->group);
	     seen = news_of(worker))
		run_one(worker, maker->group, cape_worker_task(worker), seen);
	maker->posted = 0;
}

static void mixed_taskwait_at(const struct cape_place *place)
{
	struct cape_worker *worker = cape_mixed_worker();

	if (!worker) {
		cape_tasks_of_nodes.taskwait_at(place);
		return;
	}
	cape_thread_taskwait_at(place);
	await_posted(worker);
}

static void mixed_taskgroup_end_at(const struct cape_place *place)
{
	struct cape_worker *worker = cape_mixed_worker();

	if (!worker) {
		cape_tasks_of_nodes.taskgroup_end_at(place);
		return;
	}
	cape_thread_taskgroup_end_at(place);
	await_posted(worker);
}

/* -- the rest ---------------------------------------------------------------------------------- */

static void mixed_task_next(int label, int flags)
{
	struct cape_worker *worker = cape_mixed_worker();
	struct maker *maker = worker ? maker_of(worker) : NULL;

	if (!worker) {
		cape_tasks_of_nodes.task_next(label, flags);
		return;
	}
	if (maker) {
		maker->label = label;
		maker->flags = flags;
	}
	cape_thread_task_next(label, flags);
}

static void *mixed_task_room(size_t size)
{
	struct cape_worker *worker = cape_mixed_worker();
	struct maker *maker = worker ? maker_of(worker) : NULL;

	if (!worker)
		return cape_tasks_of_nodes.task_room(size);
	if (maker)
		maker->room = size;
	return cape_thread_task_room(size);
}

#define IN_REGION(type, name, parameters, arguments)                                               \
	static type mixed_##name parameters                                                        \
	{                                                                                          \
		return cape_mixed_worker() ? cape_thread_##name arguments                          \
					   : cape_tasks_of_nodes.name arguments;                   \
	}

IN_REGION(void, task_depend, (enum cape_depend kind, const volatile void *item), (kind, item))
IN_REGION(void, taskyield, (void), ())
IN_REGION(void, taskgroup_begin, (void), ())
IN_REGION(int, in_final, (void), ())
IN_REGION(int, in_task, (void), ())

#define MIXED(type, name, parameters, arguments) .name = mixed_##name,

const struct cape_task_calls cape_tasks_of_mixed = {CAPE_TASK_CALLS(MIXED) CAPE_TASK_PARTS(MIXED)};
