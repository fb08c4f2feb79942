// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_task.c - the book's groups of tasks: posted by any node, taken in that order.
 */
#include <stdlib.h>
#include "service_book.h"

struct book_task {
	struct book_task *next;
	uint64_t number; /* in the group, in the order of posting */
	uint64_t label;
	uint64_t group;
	struct cape_service_entry *block;
};

struct group {
	struct shelf_item item;
	struct book_task *oldest; /* not done; those that run stand before those that wait */
	struct book_task **end;
	struct book_task *waiting; /* the oldest that nobody runs */
	uint64_t posted;
	bool closed;
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
	struct book_task *task = group->waiting;

	group->waiting = task->next;
	book->node[node].task = task;
	book_reply(book, node, (struct cape_service_reply){.result = 1, .task.label = task->label},
		   true, task->block);
}

/* Tells NODE that no task comes any more; whether the group is gone with that. */
static bool tell_none(struct book *book, struct group *group, uint32_t node)
{
	bool last = book_roll_count(&group->informed, node);

	if (last)
		shelf_remove(&book->groups, group);
	book_reply(book, node, (struct cape_service_reply){0}, true, NULL);
	return last;
}

/* Something changed: who waits for a task, or for the end, gets it if it is there. */
static void settle(struct book *book, struct group *group)
{
	uint64_t id = group->item.id;
	int node;

	for (uint32_t i = 0; i < book->nodes; i++) {
		const struct book_node *waiter = &book->node[i];

		if (waiter->waits && waiter->request.kind == CAPE_SERVICE_TASK_WAIT &&
		    waiter->request.id == id &&
		    (!group->oldest || group->oldest->number >= waiter->until))
			book_reply(book, i, (struct cape_service_reply){0}, true, NULL);
	}
	while ((node = book_first_waiting(book, CAPE_SERVICE_TASK_TAKE, id)) >= 0) {
		if (group->waiting)
			give(book, group, (uint32_t)node);
		else if (!group->closed || group->oldest || tell_none(book, group, (uint32_t)node))
			return;
	}
}

const char *book_task_post(struct book *book, const struct cape_service_request *request,
			   const unsigned char *bytes, uint64_t size)
{
	struct group *group = get_group(book, request->id);
	struct book_task *task = calloc(1, sizeof(*task));

	if (group && group->closed && !group->oldest) {
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
	task->group = request->id;
	*group->end = task;
	group->end = &task->next;
	if (!group->waiting)
		group->waiting = task;
	settle(book, group);
	return NULL;
}

const char *book_task_take(struct book *book, const struct cape_service_request *request)
{
	struct group *group = get_group(book, request->id);
	const char *wrong;

	if (!group)
		return "out of memory";
	if (book->node[request->node].task)
		return "a node takes a task while it runs one";
	wrong = book_roll_begin(book, &group->informed, request->task_take.nodes, request->node);
	if (wrong)
		return wrong;
	book_wait(book, request, 0);
	settle(book, group);
	return NULL;
}

static void forget_task(struct group *group, struct book_task *task)
{
	struct book_task **at = &group->oldest;

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
	struct book_task *task = book->node[request->node].task;
	struct group *group = shelf_find(&book->groups, request->id);

	if (!group || !task || task->group != request->id)
		return "a task is done that the node did not take";
	book->node[request->node].task = NULL;
	forget_task(group, task);
	settle(book, group);
	return NULL;
}

const char *book_task_wait(struct book *book, const struct cape_service_request *request)
{
	struct group *group = shelf_find(&book->groups, request->id);
	const struct book_task *own = book->node[request->node].task;

	if (own && own->group == request->id)
		return "a task waits for itself";
	if (!group) {
		book_reply(book, request->node, (struct cape_service_reply){0}, true, NULL);
		return NULL;
	}
	book_wait(book, request, group->posted);
	settle(book, group);
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
		shelf_remove(&book->groups, group);
	}
}
