// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * task.c - tasks: run where they are met, or handed over to whichever node has time.
 *
 * Handing over costs a message and a checkpoint, so it pays only for tasks that last.  Of a kind
 * that is new each other node gets one, then one runs here and is timed, and so is one now and
 * then, which also gives this node its share.
 * Tasks inside tasks always run where they are met.
 */
#include <string.h>
#include "omp.h"
#include "races/check.h"
#include "base/context.h"
#include "channel/service.h"
#include "openmp/contributions.h"
#include "openmp/constructs.h"
#include "openmp/task.h"
#include "profile/profile.h"
#include "sync/log.h"
#include "message/request.h"

static void start(struct cape_runtime *runtime)
{
	struct cape_tasks *tasks = runtime->tasks;

	tasks->running = cape_must_reserve(runtime, CAPE_TASKS_LIMIT * sizeof(*tasks->running));
	tasks->values = cape_must_reserve(runtime, CAPE_TASK_VALUES_LIMIT);
	tasks->contributions.scope = cape_must_reserve(
		runtime, CAPE_TASK_SCOPES_LIMIT * sizeof(*tasks->contributions.scope));
}

CAPE_PART_OF_NODES(tasks, start);

#define WORTH_POSTING 200000u /* nanoseconds */
#define IN_A_ROW      4u      /* tasks to post for each node of the team before one runs here */

/* Whether tasks of this program may contribute to reductions: then each that is posted has a slot.
 */
#pragma weak cape_task_reductions_of_nodes

static bool has_slots(void)
{
	return &cape_task_reductions_of_nodes;
}

/* The innermost task that runs here, or what stands for none. */
static struct cape_running_task innermost(const struct cape_runtime *runtime)
{
	const struct cape_tasks *tasks = runtime->tasks;

	return tasks->depth ? tasks->running[tasks->depth - 1] : (struct cape_running_task){0};
}

static void push(struct cape_runtime *runtime, struct cape_running_task task)
{
	if (runtime->tasks->depth == CAPE_TASKS_LIMIT)
		cape_fail(runtime, 0, "tasks are nested deeper than %lu", CAPE_TASKS_LIMIT);
	task.final |= innermost(runtime).final;
	task.started = task.label ? cape_now() : 0;
	task.settings = runtime->openmp->settings;
	runtime->tasks->running[runtime->tasks->depth++] = task;
}

static struct cape_running_task pop(struct cape_runtime *runtime)
{
	struct cape_tasks *tasks = runtime->tasks;

	if (!tasks->depth)
		cape_fail(runtime, 0, "the end of a task that was not begun");
	runtime->openmp->settings = tasks->running[--tasks->depth].settings;
	return tasks->running[tasks->depth];
}

static void begin(struct cape_runtime *runtime, int flags)
{
	bool checked = !flags && !innermost(runtime).final && cape_check_task_begin(runtime);

	push(runtime, (struct cape_running_task){.final = flags & CAPE_TASK_FINAL,
						 .checked = checked,
						 .label = runtime->tasks->refused});
	runtime->tasks->refused = 0;
}

static void end(struct cape_runtime *runtime)
{
	struct cape_running_task task = pop(runtime);

	if (task.checked)
		cape_check_task_end(runtime);
	if (task.label)
		runtime->tasks->duration[task.label] = cape_now() - task.started;
}

CAPE_ANSWERS(node, int, in_final, innermost(cape_runtime_get()).final)
CAPE_ANSWERS(node, int, in_task, cape_runtime_get()->tasks->depth > 0)

/* All tasks that are run here at once run in the order of their calls, whatever they depend on. */
void cape_node_task_depend(enum cape_depend kind, const volatile void *item)
{
	(void)kind;
	(void)item;
}

void cape_node_task_next(int label, int flags)
{
	struct cape_tasks *tasks = cape_runtime_get()->tasks;

	tasks->label = label;
	tasks->flags = flags & (CAPE_TASK_UNDEFERRED | CAPE_TASK_FINAL | CAPE_TASK_DEPENDS);
}

static unsigned char *add_values(struct cape_runtime *runtime, size_t size)
{
	struct cape_tasks *tasks = runtime->tasks;
	unsigned char *room = tasks->values + tasks->size;

	if (size > CAPE_TASK_VALUES_LIMIT - tasks->size)
		cape_fail(runtime, 0, "a task with firstprivate values of more than %llu bytes",
			  CAPE_TASK_VALUES_LIMIT);
	tasks->size += size;
	return room;
}

void *cape_node_task_room(size_t size)
{
	struct cape_runtime *runtime = cape_runtime_get();

	runtime->tasks->size = 0;
	return add_values(runtime, size);
}

/* The single construct whose block makes tasks that others may take, or NULL. */
static const struct cape_construct *source_of_tasks(struct cape_runtime *runtime)
{
	const struct cape_construct *construct =
		runtime->openmp->depth ? cape_innermost(runtime) : NULL;

	if (!construct || !construct->id || !cape_is_shared_out(runtime) || runtime->team == 1)
		return NULL;
	return construct;
}

/* What is known of durations stays as long as it is about the same construct. */
static void begin_group(struct cape_tasks *tasks, const struct cape_construct *construct)
{
	if (tasks->group == construct->id)
		return;
	if (tasks->place != construct->place)
		memset(tasks->duration, 0, sizeof(tasks->duration));
	tasks->place = construct->place;
	tasks->group = construct->id;
	tasks->closed = false;
	tasks->posted = tasks->posted_in_a_row = 0;
}

static bool is_worth_posting(const struct cape_runtime *runtime, int label)
{
	const struct cape_tasks *tasks = runtime->tasks;

	if ((unsigned long)label >= CAPE_TASK_LABELS)
		return false;
	if (!tasks->duration[label])
		return tasks->posted_in_a_row < runtime->team - 1;
	return tasks->duration[label] >= WORTH_POSTING &&
	       tasks->posted_in_a_row < IN_A_ROW * runtime->team;
}

static void post(struct cape_runtime *runtime, int label)
{
	struct cape_tasks *tasks = runtime->tasks;
	struct cape_service_request request = {.kind = CAPE_SERVICE_TASK_POST,
					       .id = tasks->group,
					       .task_post.label = (uint64_t)label};

	if (has_slots()) {
		uint64_t slot = cape_contributions_slot(runtime);

		memcpy(add_values(runtime, sizeof(slot)), &slot, sizeof(slot));
	}
	cape_check_release(runtime, CAPE_ORDER_TASK, tasks->group);
	request.task_post.published = cape_log_collect_release(runtime);
	memcpy(cape_request_payload(runtime) + request.task_post.published, tasks->values,
	       tasks->size);
	request.size = request.task_post.published + tasks->size;
	cape_log_ask(runtime, request);
	tasks->posted++;
	tasks->posted_in_a_row++;
}

/* What is sent of a task before its data. */
struct sent {
	void (*body)(void *data);
	uint64_t alignment;
};

/* Data that are no copy yet are put where those are that came into a room. */
static void send(struct cape_runtime *runtime, int label, const struct cape_task_made *made)
{
	struct cape_tasks *tasks = runtime->tasks;
	struct sent sent = {made->body, made->in_room ? 0 : made->alignment};

	if (!made->in_room) {
		tasks->size = 0;
		memcpy(add_values(runtime, made->size), made->data, made->size);
	}
	memcpy(add_values(runtime, sizeof(sent)), &sent, sizeof(sent));
	post(runtime, label);
}

/* Whether other nodes get the task. */
static bool offer(struct cape_runtime *runtime, int label, int flags,
		  const struct cape_task_made *made)
{
	struct cape_tasks *tasks = runtime->tasks;
	const struct cape_construct *construct = source_of_tasks(runtime);

	tasks->refused = 0;
	if (!label || flags || tasks->depth || !construct || !construct->ran_single || made->copy)
		return false;
	begin_group(tasks, construct);
	if (is_worth_posting(runtime, label)) {
		send(runtime, label, made);
		return true;
	}
	if ((unsigned long)label < CAPE_TASK_LABELS) {
		tasks->refused = label;
		tasks->posted_in_a_row = 0;
	}
	return false;
}

/* DATA on this stack, which is saved, and as its own. */
static void run_copy(const struct cape_task_made *made)
{
	size_t alignment = made->alignment;
	char room[made->size + alignment];
	void *data = room + (-(uintptr_t)room & (alignment - 1));

	if (made->copy)
		made->copy(data, made->data);
	else
		memcpy(data, made->data, made->size);
	made->body(data);
}

void cape_node_task_made(const struct cape_task_made *made)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_tasks *tasks = runtime->tasks;
	struct cape_task_made copied = *made;
	int label = tasks->label, flags = tasks->flags;

	tasks->label = tasks->flags = 0;
	if (offer(runtime, label, flags, made))
		return;
	begin(runtime, flags);
	if (made->in_room) {
		copied.size = tasks->size;
		copied.alignment = _Alignof(max_align_t);
	}
	if (made->in_room || made->copy)
		run_copy(&copied);
	else
		made->body(made->data);
	end(runtime);
}

/* The node that made the tasks makes no more. */
static void close_group(struct cape_runtime *runtime, const struct cape_construct *construct)
{
	struct cape_tasks *tasks = runtime->tasks;

	begin_group(tasks, construct);
	if (tasks->closed)
		return;
	tasks->closed = true;
	cape_log_ask(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_TASK_CLOSE,
							    .id = construct->id});
}

static void take_last(struct cape_runtime *runtime, void *value, size_t size)
{
	struct cape_tasks *tasks = runtime->tasks;

	if (tasks->taken_size < size)
		cape_fail(runtime, 0,
			  "a task came with too few values; are the binaries the same "
			  "on all nodes?");
	tasks->taken_size -= size;
	memcpy(value, tasks->taken + tasks->taken_size, size);
}

/* The next task to run here; false: all are done. */
static bool take(struct cape_runtime *runtime)
{
	struct cape_tasks *tasks = runtime->tasks;
	const struct cape_construct *construct = source_of_tasks(runtime);
	const struct cape_service_reply *reply;

	if (!construct)
		return false;
	if (construct->ran_single)
		close_group(runtime, construct);
	reply = cape_log_ask(runtime,
			     (struct cape_service_request){.kind = CAPE_SERVICE_TASK_TAKE,
							   .id = construct->id,
							   .task_take.nodes = runtime->team});
	if (reply->result != CAPE_TASK_GOT) {
		if (construct->ran_single)
			cape_contributions_fold(runtime);
		return false;
	}
	push(runtime, (struct cape_running_task){.checked = cape_check_task_begin(runtime)});
	tasks->number = reply->task.number;
	tasks->taken = runtime->log->task;
	tasks->taken_size = runtime->log->task_size;
	if (has_slots())
		take_last(runtime, &tasks->contributions.append,
			  sizeof(tasks->contributions.append));
	return true;
}

static void taken_end(struct cape_runtime *runtime)
{
	uint64_t size;

	/* The child of a fork() in the task is no part of the run. */
	if (!runtime->channel) {
		pop(runtime);
		runtime->tasks->contributions.append = NULL;
		return;
	}
	cape_check_release(runtime, CAPE_ORDER_TASK_DONE, cape_innermost(runtime)->id);
	size = cape_log_collect_release(runtime);
	if (pop(runtime).checked)
		cape_check_task_end(runtime);
	runtime->tasks->contributions.append = NULL;
	cape_log_ask(runtime,
		     (struct cape_service_request){.kind = CAPE_SERVICE_TASK_DONE,
						   .id = cape_innermost(runtime)->id,
						   .task_done.number = runtime->tasks->number,
						   .size = size});
}

void cape_node_tasks_run(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_tasks *tasks = runtime->tasks;

	while (take(runtime)) {
		struct cape_task_made made = {0};
		struct sent sent;

		take_last(runtime, &sent, sizeof(sent));
		made.body = sent.body;
		made.data = (void *)tasks->taken;
		made.size = tasks->taken_size;
		made.alignment = sent.alignment ? sent.alignment : _Alignof(max_align_t);
		run_copy(&made);
		taken_end(runtime);
	}
}

/* Tasks that ran here are done; those that were handed over may not be. */
static void wait_for_posted(struct cape_runtime *runtime, const struct cape_place *place)
{
	struct cape_tasks *tasks = runtime->tasks;

	if (!tasks->posted || tasks->depth || !source_of_tasks(runtime))
		return;
	cape_runtime_place(runtime, place);
	cape_profile_begin(runtime, place, "taskwait");
	cape_log_ask(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_TASK_WAIT,
							    .id = tasks->group});
	tasks->posted = 0;
	cape_contributions_fold(runtime);
	cape_profile_end(runtime);
}

void cape_node_taskwait_at(const struct cape_place *place)
{
	cape_check_task_wait(cape_runtime_get(), false);
	wait_for_posted(cape_runtime_get(), place);
}

/* What could run here does already. */
void cape_node_taskyield(void)
{
}

void cape_node_taskgroup_begin(void)
{
}

void cape_node_taskgroup_end_at(const struct cape_place *place)
{
	cape_check_task_wait(cape_runtime_get(), true);
	wait_for_posted(cape_runtime_get(), place);
}

const struct cape_task_calls cape_tasks_of_nodes = {CAPE_TASK_CALLS(CAPE_CALL_OF_NODE)
							    CAPE_TASK_PARTS(CAPE_CALL_OF_NODE)};
