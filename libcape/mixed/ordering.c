// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ordering.c - how threads of several nodes order each other: a lock is one node's at a time, and
 * of that one thread's.
 *
 * A thread that waits for another node is called when it has what it waits for: others of its node
 * ask meanwhile, and what it waits for may be what one of these is about to give.  Who has a lock
 * leaves it to the next of its own node a number of times.
 */
#include "base/ordering.h"
#include "message/port.h"
#include "mixed/mixed.h"
#include "openmp/team.h"
#include "replica/streams.h"
#include "sync/log.h"
#include "threads/process.h"

#define LISTS	  65536u
#define LEFT_MOST 16u /* times that a lock is left to a thread of the same node */

/* What this node knows of a lock. */
struct known_lock {
	struct known_lock *next;
	uint64_t id;
	uint32_t word;	  /* whose of the node's threads it is */
	uint32_t waiting; /* of these, or about to */
	bool is_here;	  /* it is this node's */
	unsigned left;	  /* to another thread, since */
};

/* Its holder may take it once more. */
struct own_lock {
	uint32_t word;
	unsigned again; /* times that it has */
};

struct cape_mixed {
	struct own_lock port;	/* to what the node tells others, and knows of files and mappings */
	struct own_lock access; /* to pages, and the channel; after the port */
	struct known_lock *list[LISTS];
	uint32_t mutex; /* of the lists */
};

CAPE_PART(mixed, NULL);

static bool is_mine(const struct own_lock *lock, const struct cape_worker *worker)
{
	return CAPE_WORD_HOLDER(__atomic_load_n(&lock->word, __ATOMIC_RELAXED)) == worker->id;
}

/* A signal handler may come at any place, and do the same. */
static void take(struct own_lock *lock)
{
	struct cape_worker *worker = cape_worker_get();

	if (is_mine(lock, worker))
		lock->again++;
	else
		cape_word_lock(&lock->word, worker->id, worker->looks);
}

static void put_back(struct own_lock *lock)
{
	if (lock->again)
		lock->again--;
	else
		cape_word_unlock(&lock->word);
}

static void lock(struct cape_runtime *runtime)
{
	take(&runtime->mixed->port);
}

static void unlock(struct cape_runtime *runtime)
{
	put_back(&runtime->mixed->port);
}

static void begin_access(struct cape_runtime *runtime)
{
	take(&runtime->mixed->access);
}

static void end_access(struct cape_runtime *runtime)
{
	put_back(&runtime->mixed->access);
}

/* Who prints holds a stream, and then wants to lock: so streams come first. */
static void speak(struct cape_runtime *runtime)
{
	if (!is_mine(&runtime->mixed->port, cape_worker_get()))
		cape_streams_hold();
	lock(runtime);
}

static void be_silent(struct cape_runtime *runtime)
{
	unlock(runtime);
	if (!is_mine(&runtime->mixed->port, cape_worker_get()))
		cape_streams_let_go();
}

/* Threads of a node have the first numbers, for they are made first. */
static unsigned thread(const struct cape_runtime *runtime)
{
	return cape_team_first(runtime) + cape_worker_get()->id - 1;
}

static unsigned task(const struct cape_runtime *runtime)
{
	const struct cape_worker *worker = cape_worker_get();

	return runtime->in_region ? worker->level + worker->tasks.running : runtime->level;
}

static struct known_lock *find(struct cape_worker *worker, uint64_t id)
{
	struct cape_mixed *mixed = cape_runtime->mixed;
	struct known_lock **list = &mixed->list[id * 0x9e3779b97f4a7c15u >> 48], *lock;

	cape_word_lock(&mixed->mutex, worker->id, worker->looks);
	for (lock = *list; lock && lock->id != id; lock = lock->next)
		continue;
	if (!lock) {
		lock = cape_must_resize(NULL, sizeof(*lock));
		*lock = (struct known_lock){.next = *list, .id = id};
		*list = lock;
	}
	cape_word_unlock(&mixed->mutex);
	return lock;
}

bool cape_mixed_ask(struct cape_service_request request)
{
	struct cape_runtime *runtime = cape_runtime;
	bool got;

	speak(runtime);
	got = cape_log_ask(runtime, request)->result;
	be_silent(runtime);
	return got;
}

/* When all of the run's threads wait, monitors tell a deadlock. */
static void begin_wait(void)
{
	__atomic_fetch_add(&cape_runtime->channel->waiting, 1, __ATOMIC_RELAXED);
}

static void end_wait(void)
{
	__atomic_fetch_sub(&cape_runtime->channel->waiting, 1, __ATOMIC_RELAXED);
}

void cape_mixed_await(struct cape_worker *worker, struct cape_service_request request)
{
	struct cape_runtime *runtime = cape_runtime;
	int saved_errno = errno;

	request.tag = worker->id;
	if (cape_mixed_ask(request))
		return;
	begin_wait();
	cape_port(runtime)->await(runtime, &request, 0);
	end_wait();
	errno = saved_errno;
	speak(runtime);
	cape_log_called(runtime, &request);
	be_silent(runtime);
}

static void acquire(__attribute__((unused)) struct cape_runtime *runtime, uint64_t id)
{
	struct cape_worker *worker = cape_worker_get();
	struct known_lock *lock = find(worker, id);

	if (!cape_word_try(&lock->word, worker->id)) {
		begin_wait();
		__atomic_fetch_add(&lock->waiting, 1, __ATOMIC_SEQ_CST);
		cape_word_lock(&lock->word, worker->id, worker->looks);
		__atomic_fetch_sub(&lock->waiting, 1, __ATOMIC_SEQ_CST);
		end_wait();
	}
	if (lock->is_here)
		return;
	cape_mixed_await(worker,
			 (struct cape_service_request){.kind = CAPE_SERVICE_ACQUIRE, .id = id});
	lock->is_here = true;
}

static bool try(__attribute__((unused)) struct cape_runtime *runtime, uint64_t id)
{
	struct cape_worker *worker = cape_worker_get();
	struct known_lock *lock = find(worker, id);
	struct cape_service_request request = {
		.kind = CAPE_SERVICE_ACQUIRE, .id = id, .acquire.only_tries = true};

	if (!cape_word_try(&lock->word, worker->id))
		return false;
	lock->is_here = lock->is_here || cape_mixed_ask(request);
	if (lock->is_here)
		return true;
	cape_word_unlock(&lock->word);
	return false;
}

static void give(struct cape_runtime *runtime, uint64_t id,
		 void (*how)(struct cape_runtime *runtime, uint64_t id))
{
	struct known_lock *lock = find(cape_worker_get(), id);

	if (__atomic_load_n(&lock->waiting, __ATOMIC_SEQ_CST) && ++lock->left < LEFT_MOST) {
		cape_word_unlock(&lock->word);
		return;
	}
	lock->left = 0;
	lock->is_here = false;
	speak(runtime);
	how(runtime, id);
	be_silent(runtime);
	cape_word_unlock(&lock->word);
}

static void release(struct cape_runtime *runtime, uint64_t id)
{
	give(runtime, id, cape_log_release);
}

static void give_back(struct cape_runtime *runtime, uint64_t id)
{
	give(runtime, id, cape_ordering_of_nodes.give_back);
}

const struct cape_ordering cape_ordering_of_mixed = {
	.thread = thread,
	.task = task,
	.acquire = acquire,
	.try = try,
	.release = release,
	.give_back = give_back,
	.speak = speak,
	.be_silent = be_silent,
	.lock = lock,
	.unlock = unlock,
	.begin_access = begin_access,
	.end_access = end_access,
};
