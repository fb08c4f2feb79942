// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * critical.c - the critical construct: a lock without a name, and one for each name.
 *
 * A name is a string of the program's; threads keep its address, so that names are compared
 * once.
 */
#include <stdlib.h>
#include <string.h>
#include "threads/process.h"

/* Of the lock that NAME has, made on first use. */
static uint32_t *find(struct cape_worker *worker, const char *name)
{
	struct cape_pool *pool = worker->pool;
	struct cape_named_lock *lock;

	cape_word_lock(&pool->mutex, worker->id, worker->looks);
	for (lock = pool->named; lock && strcmp(lock->name, name) != 0; lock = lock->next)
		continue;
	if (!lock) {
		size_t size = strlen(name) + 1;

		lock = cape_must_resize(NULL, sizeof(*lock) + size);
		*lock = (struct cape_named_lock){.next = pool->named, .name = (char *)(lock + 1)};
		memcpy(lock->name, name, size);
		pool->named = lock;
	}
	cape_word_unlock(&pool->mutex);
	return &lock->word;
}

static uint32_t *word_of(struct cape_worker *worker, const char *name)
{
	size_t at = ((uintptr_t)name ^ (uintptr_t)name >> 6) % CAPE_NAMES_KNOWN;

	if (!name)
		return &worker->pool->unnamed;
	if (worker->known[at].name != name) {
		worker->known[at].word = find(worker, name);
		worker->known[at].name = name;
	}
	return worker->known[at].word;
}

void cape_thread_critical_begin_at(const char *name, const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();
	uint32_t *word = word_of(worker, name);

	if (cape_word_try(word, worker->id))
		return;
	if (CAPE_WORD_HOLDER(__atomic_load_n(word, __ATOMIC_RELAXED)) == worker->id)
		cape_fail(cape_runtime_get(), 0,
			  "the critical construct at %s:%d is inside another one %s%s; it would "
			  "wait for itself",
			  place->file, place->line, name ? "of the same name, " : "without a name",
			  name ? name : "");
	cape_word_lock_slowly(word, worker->id, worker->looks);
}

void cape_thread_critical_end(const char *name)
{
	cape_word_unlock(word_of(cape_worker_get(), name));
}
