// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * depend.c - which task has to wait for which.
 *
 * The task that makes them knows of each address who writes there last, and who reads after that.
 * What others read of a task when it is done is protected by its own lock.
 */
#include "threads/depend.h"

#include <stdlib.h>
#include <string.h>
#include "threads/news.h"

#define FIRST_ENTRIES 64u

struct cape_dependence {
	uint32_t lock;
	uint32_t references;
	uint32_t unmet; /* tasks that it waits for; one more until all are known */
	bool done;
	struct cape_task *task;
	struct cape_dependence **next; /* those that wait for it */
	size_t count, room;
};

struct entry {
	const volatile void *item;
	struct cape_dependence *writer;
	struct cape_dependence **reader; /* after the writer */
	size_t readers, room;
};

struct cape_depend_table {
	struct entry *entry; /* those in use have an item */
	size_t count, room;  /* a power of two */
};

static void unuse(struct cape_dependence *dependence)
{
	if (__atomic_sub_fetch(&dependence->references, 1, __ATOMIC_ACQ_REL))
		return;
	cape_release(dependence->next);
	cape_release(dependence);
}

static struct cape_dependence *use(struct cape_dependence *dependence)
{
	__atomic_add_fetch(&dependence->references, 1, __ATOMIC_RELAXED);
	return dependence;
}

static void append(struct cape_dependence ***list, size_t *count, size_t *room,
		   struct cape_dependence *dependence)
{
	if (*count == *room) {
		*room = 2 * *room + 4;
		*list = cape_must_resize(*list, *room * sizeof(struct cape_dependence *));
	}
	(*list)[(*count)++] = use(dependence);
}

static struct entry *place_of(const struct cape_depend_table *table, const volatile void *item)
{
	size_t at = ((uintptr_t)item >> 3) * 0x9e3779b97f4a7c15ull >> 20;

	for (;; at++) {
		struct entry *entry = &table->entry[at & (table->room - 1)];

		if (!entry->item || entry->item == item)
			return entry;
	}
}

static void grow(struct cape_depend_table *table)
{
	struct cape_depend_table larger = {.count = table->count,
					   .room = table->room ? 2 * table->room : FIRST_ENTRIES};

	larger.entry = cape_must_resize(NULL, larger.room * sizeof(*larger.entry));
	memset(larger.entry, 0, larger.room * sizeof(*larger.entry));
	for (size_t i = 0; i < table->room; i++)
		if (table->entry[i].item)
			*place_of(&larger, table->entry[i].item) = table->entry[i];
	cape_release(table->entry);
	*table = larger;
}

static struct entry *find(struct cape_task *parent, const volatile void *item)
{
	struct cape_depend_table *table = parent->children;
	struct entry *entry;

	if (!table) {
		table = parent->children = cape_must_resize(NULL, sizeof(*table));
		*table = (struct cape_depend_table){0};
	}
	if (2 * table->count >= table->room)
		grow(table);
	entry = place_of(table, item);
	if (!entry->item) {
		entry->item = item;
		table->count++;
	}
	return entry;
}

/* LATER waits for EARLIER. */
static void put_after(const struct cape_worker *worker, struct cape_dependence *earlier,
		      struct cape_dependence *later)
{
	if (earlier == later)
		return;
	cape_word_lock(&earlier->lock, worker->id, worker->looks);
	if (!earlier->done) {
		append(&earlier->next, &earlier->count, &earlier->room, later);
		__atomic_add_fetch(&later->unmet, 1, __ATOMIC_RELAXED);
	}
	cape_word_unlock(&earlier->lock);
}

/* Those that are done are forgotten, lest a list of readers without a writer grow for ever. */
static void add_reader(struct entry *entry, struct cape_dependence *dependence)
{
	size_t remaining = 0;

	if (entry->readers == entry->room) {
		for (size_t i = 0; i < entry->readers; i++)
			if (__atomic_load_n(&entry->reader[i]->done, __ATOMIC_ACQUIRE))
				unuse(entry->reader[i]);
			else
				entry->reader[remaining++] = entry->reader[i];
		entry->readers = remaining;
	}
	append(&entry->reader, &entry->readers, &entry->room, dependence);
}

static void forget_readers(struct entry *entry)
{
	for (size_t i = 0; i < entry->readers; i++)
		unuse(entry->reader[i]);
	entry->readers = 0;
}

static void add_item(const struct cape_worker *worker, struct entry *entry,
		     struct cape_dependence *dependence, enum cape_depend kind)
{
	if (entry->writer)
		put_after(worker, entry->writer, dependence);
	if (kind == CAPE_DEPEND_IN) {
		add_reader(entry, dependence);
		return;
	}
	for (size_t i = 0; i < entry->readers; i++)
		put_after(worker, entry->reader[i], dependence);
	forget_readers(entry);
	if (entry->writer)
		unuse(entry->writer);
	entry->writer = use(dependence);
}

struct cape_dependence *cape_dependence_new(struct cape_worker *worker, struct cape_task *parent,
					    struct cape_task *task,
					    const struct cape_depend_item *item, size_t count)
{
	struct cape_dependence *dependence = cape_must_resize(NULL, sizeof(*dependence));

	*dependence = (struct cape_dependence){.references = 2, .unmet = 1, .task = task};
	if (task)
		task->dependence = dependence;
	for (size_t i = 0; i < count; i++)
		add_item(worker, find(parent, item[i].item), dependence, item[i].kind);
	return dependence;
}

bool cape_dependence_release(struct cape_dependence *dependence)
{
	bool ready = !__atomic_sub_fetch(&dependence->unmet, 1, __ATOMIC_ACQ_REL);

	unuse(dependence);
	return ready;
}

bool cape_dependence_ready(void *dependence)
{
	const struct cape_dependence *own = dependence;

	return !__atomic_load_n(&own->unmet, __ATOMIC_ACQUIRE);
}

/* DEPENDENCE has one task less to wait for. */
static void meet(struct cape_worker *worker, struct cape_dependence *dependence)
{
	struct cape_task *task = dependence->task;

	if (!__atomic_sub_fetch(&dependence->unmet, 1, __ATOMIC_SEQ_CST)) {
		if (task)
			cape_task_push(worker, task);
		else
			cape_task_news(worker);
	}
	unuse(dependence);
}

void cape_dependence_done(struct cape_worker *worker, struct cape_dependence *dependence)
{
	cape_word_lock(&dependence->lock, worker->id, worker->looks);
	__atomic_store_n(&dependence->done, true, __ATOMIC_RELEASE);
	cape_word_unlock(&dependence->lock);
	for (size_t i = 0; i < dependence->count; i++)
		meet(worker, dependence->next[i]);
	dependence->count = 0;
	unuse(dependence);
}

void cape_dependences_forget(struct cape_task *task)
{
	struct cape_depend_table *table = task->children;

	if (!table)
		return;
	for (size_t i = 0; i < table->room; i++) {
		if (table->entry[i].writer)
			unuse(table->entry[i].writer);
		forget_readers(&table->entry[i]);
		cape_release(table->entry[i].reader);
	}
	cape_release(table->entry);
	cape_release(table);
	task->children = NULL;
}
