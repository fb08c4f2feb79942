// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_task.c - the book's groups of tasks: posted by any node, taken in that order.
 */
#include <stdlib.h>
#include "service_book.h"

#define NOBODY UINT32_MAX

struct task {
	struct task *next;
	uint64_t number; /* in the group, in the order of posting */
	uint64_t label;
	uint32_t node; /* that runs it */
	struct cape_service_entry *block;
};

/* A thread that is called when there may be a task, or when those before UNTIL are done. */
struct waiter {
	struct waiter *next;
	uint32_t node;
	uint32_t tag;
	uint32_t kind;
	uint64_t until;
};

struct group {
	struct shelf_item item;
	struct task *oldest; /* not done; those that run stand before those that wait */
	struct task **end;
	struct task *waiting; /* the oldest that nobody runs */
	uint64_t posted;
	bool closed;
	struct waiter *waiters;
	struct book_roll informed; /* that none comes any more */
};

static struct group *get_group(struct book *book, uint64_t id)
{
	struct group *group = shelf_get(
		&book->groups, id, offsetof(struct group, informed) + book_roll_size(book->nodes));

	if (group && !group->end)
		group->end = &group->oldest;
	return group;
}

static void give(struct book *book, struct group *group, uint32_t node)
{
	struct task *task = group->waiting;

	group->waiting = task->next;
	task->node = node;
	book_reply(book, node,
		   (struct cape_service_reply){.result = CAPE_TASK_GOT,
					       .task = {task->label, task->number}},
		   true, task->block);
}

/* All that were posted before number UNTIL. */
static bool are_done(const struct group *group, uint64_t until)
{
	return !group->oldest || group->oldest->number >= until;
}

static bool is_over(const struct group *group)
{
	return group->closed && !group->oldest;
}

static void forget_waiters(struct group *group)
{
	while (group->waiters) {
		struct waiter *waiter = group->waiters;

		group->waiters = waiter->next;
		free(waiter);
	}
}

/* Tells NODE that no task comes any more; whether the group is gone with that. */
static bool tell_none(struct book *book, struct group *group, uint32_t node)
{
	bool last = book_roll_count(&group->informed, node);

	if (last) {
		forget_waiters(group);
		shelf_remove(&book->groups, group);
	}
	book_reply(book, node, (struct cape_service_reply){.result = CAPE_TASK_NONE}, true, NULL);
	return last;
}

/* All that wait for a task are called for one: who has the time gets it. */
static void call_waiters(struct book *book, struct group *group)
{
	struct waiter **at = &group->waiters, *waiter;

	while ((waiter = *at)) {
		bool call = waiter->kind == CAPE_SERVICE_TASK_TAKE
				    ? group->waiting || is_over(group)
				    : are_done(group, waiter->until);

		if (!call) {
			at = &waiter->next;
			continue;
		}
		*at = waiter->next;
		book_give(book, waiter->node, waiter->tag);
		free(waiter);
	}
}

static void answer_waits(struct book *book, const struct group *group)
{
	for (uint32_t i = 0; i < book->nodes; i++) {
		const struct book_node *waiter = &book->node[i];

		if (waiter->waits && waiter->request.kind == CAPE_SERVICE_TASK_WAIT &&
		    waiter->request.id == group->item.id && are_done(group, waiter->until))
			book_reply(book, i, (struct cape_service_reply){.result = 1}, true, NULL);
	}
}

/* Something changed: who waits for a task, or for the end, gets it if it is there. */
static void settle(struct book *book, struct group *group)
{
	uint64_t id = group->item.id;
	int node;

	answer_waits(book, group);
	while ((node = book_first_waiting(book, CAPE_SERVICE_TASK_TAKE, id)) >= 0) {
		if (group->waiting)
			give(book, group, (uint32_t)node);
		else if (!is_over(group))
			break;
		else if (tell_none(book, group, (uint32_t)node))
			return;
	}
	call_waiters(book, group);
}

/* REQUEST's thread waits, if it does not yet; the node gets RESULT. */
static const char *add_waiter(struct book *book, struct group *group,
			      const struct cape_service_request *request, uint64_t result)
{
	struct waiter *waiter = group->waiters;

	while (waiter && (waiter->node != request->node || waiter->tag != request->tag ||
			  waiter->kind != request->kind))
		waiter = waiter->next;
	if (!waiter) {
		waiter = malloc(sizeof(*waiter));
		if (!waiter)
			return "out of memory";
		*waiter = (struct waiter){group->waiters, request->node, request->tag,
					  request->kind, 0};
		group->waiters = waiter;
	}
	waiter->until = group->posted;
	book_reply(book, request->node, (struct cape_service_reply){.result = result}, false, NULL);
	return NULL;
}

const char *book_task_post(struct book *book, const struct cape_service_request *request,
			   const unsigned char *bytes, uint64_t size)
{
	struct group *group = get_group(book, request->id);
	struct task *task = calloc(1, sizeof(*task));

	if (group && is_over(group)) {
		free(task);
		return "a task is posted to a group that is over";
	}
	if (task)
		task->block = log_block(request->node, LOG_NOWHERE, bytes, size);
	if (!group || !task || !task->block) {
		free(task);
		return "out of memory";
	}
	task->number = group->posted++;
	task->label = request->task_post.label;
	task->node = NOBODY;
	*group->end = task;
	group->end = &task->next;
	if (!group->waiting)
		group->waiting = task;
	settle(book, group);
	return NULL;
}

/* Of the tasks that run, the first one of NODE, or that of NUMBER. */
static struct task *find_running(const struct group *group, uint32_t node, const uint64_t *number)
{
	struct task *task = group->oldest;

	while (task && task != group->waiting &&
	       (task->node != node || (number && task->number != *number)))
		task = task->next;
	return task == group->waiting ? NULL : task;
}

/* A thread that waits for tasks may wait for a lock in one of them. */
static bool is_wrong_tag(const struct cape_service_request *request)
{
	return request->tag && request->tag != CAPE_TAG_OF_TASKS;
}

const char *book_task_take(struct book *book, const struct cape_service_request *request)
{
	struct group *group = get_group(book, request->id);
	const char *wrong;

	if (is_wrong_tag(request))
		return "a thread asks for tasks as if for a lock";
	if (!group)
		return "out of memory";
	if (!request->tag && find_running(group, request->node, NULL))
		return "a node takes a task while it runs one";
	wrong = book_roll_begin(book, &group->informed, request->task_take.nodes, request->node);
	if (wrong)
		return wrong;
	if (request->tag && !group->waiting && !is_over(group))
		return add_waiter(book, group, request, CAPE_TASK_LATER);
	book->node[request->node].waits = true;
	book->node[request->node].ticket = book->tickets++;
	settle(book, group);
	return NULL;
}

static void forget_task(struct group *group, struct task *task)
{
	struct task **at = &group->oldest;

	while (*at != task)
		at = &(*at)->next;
	*at = task->next;
	if (!*at)
		group->end = at;
	free(task->block);
	free(task);
}

const char *book_task_done(struct book *book, const struct cape_service_request *request)
{
	struct group *group = shelf_find(&book->groups, request->id);
	struct task *task =
		group ? find_running(group, request->node, &request->task_done.number) : NULL;

	if (!task)
		return "a task is done that the node did not take";
	forget_task(group, task);
	settle(book, group);
	return NULL;
}

const char *book_task_wait(struct book *book, const struct cape_service_request *request)
{
	struct group *group = shelf_find(&book->groups, request->id);

	if (is_wrong_tag(request))
		return "a thread waits for tasks as if for a lock";
	if (group && !request->tag && find_running(group, request->node, NULL))
		return "a task waits for itself";
	if (!group || are_done(group, group->posted)) {
		book_reply(book, request->node, (struct cape_service_reply){.result = 1}, true,
			   NULL);
		return NULL;
	}
	if (request->tag)
		return add_waiter(book, group, request, 0);
	book_wait(book, request, group->posted);
	return NULL;
}

const char *book_task_close(struct book *book, const struct cape_service_request *request)
{
	struct group *group = get_group(book, request->id);

	if (!group)
		return "out of memory";
	group->closed = true;
	settle(book, group);
	return NULL;
}

void book_stop_tasks(struct book *book)
{
	struct group *group;

	while ((group = shelf_any(&book->groups))) {
		while (group->oldest)
			forget_task(group, group->oldest);
		forget_waiters(group);
		shelf_remove(&book->groups, group);
	}
}
