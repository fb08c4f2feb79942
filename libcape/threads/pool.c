// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pool.c - threads that wait for regions, and the running of one.
 *
 * Each thread of the pool has a word of its own that it waits at.  It never waits for the others at
 * the end of a region: the master does.
 */
#include "threads/pool.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "threads/process.h"
#include "threads/reduction.h"
#include "threads/barrier.h"
#include "threads/loop.h"
#include "threads/ordered.h"
#include "threads/own_stack.h"
#include "threads/share.h"
#include "threads/task.h"

#pragma weak cape_gomp_task
void cape_gomp_task(void);

#define PAGE 4096ul
/* Below a stack: frames may be larger than a page, and the kernel leaves as much. */
#define GUARD (1ul << 20)

/* A thread of the pool. */
struct cape_pooled {
	struct cape_signal go; /* changes with each region that it takes part in */
	struct cape_worker *worker;
	unsigned number;
	void *handlers; /* memory for a stack, or NULL */
} __attribute__((aligned(CAPE_CACHE_LINE)));

static unsigned count_processors(struct cape_runtime *runtime)
{
	const struct cape_spots *spots = &runtime->openmp->spots;
	unsigned count = 0;

	cape_places_ask(runtime);
	for (size_t i = 0; i < spots->words; i++)
		count += (unsigned)__builtin_popcountl(spots->allowed[i]);
	return count ? count : 1;
}

/* Those who held the run time's own locks are not in the child, but for WORKER. */
static void free_locks(struct cape_pool *pool, const struct cape_worker *worker)
{
	pool->mutex = 0;
	for (size_t i = 0; i < CAPE_ATOMICS; i++)
		if (!worker || worker->atomic != &pool->atomic[i].word)
			pool->atomic[i].word = 0;
}

static const struct cape_team_kind team_of_threads = {
	.meet = cape_team_meet,
	.reduce = cape_reduced_add,
	.hand_out = cape_loop_hand_out,
	.tell_turns = cape_turn_tell,
	.await_turn = cape_turn_await,
};

/* The child of fork() has one thread, whatever team that was in. */
static void in_child(void)
{
	struct cape_pool *pool = cape_runtime->pool;
	struct cape_worker *worker = cape_worker;

	pool->kind = &team_of_threads;
	pool->threads = pool->ready = 0;
	free_locks(pool, worker);
	if (pool->team)
		cape_shares_reset(pool->team, CAPE_SHARES);
	/* One that a saved run has left is none. */
	if (!worker || !pool->ids)
		return;
	worker->is_initial = true;
	worker->number = 0;
	worker->size = 1;
	worker->in_team = false;
	worker->active_level = 0;
	worker->handed_over.size = worker->copyprivate.size = 0;
	cape_tasks_fork(worker);
	for (size_t i = 0; i < worker->depth; i++) {
		worker->construct[i].active = false;
		worker->construct[i].in_team = false;
		worker->construct[i].id = 0;
		worker->construct[i].team = 1;
		worker->construct[i].thread = 0;
	}
}

static void start(struct cape_runtime *runtime)
{
	runtime->pool->processors = count_processors(runtime);
	runtime->pool->kind = &team_of_threads;
	pthread_key_create(&runtime->pool->key, cape_worker_free);
	pthread_atfork(NULL, NULL, in_child);
}

CAPE_PART(pool, start);

static unsigned looks_of(const struct cape_pool *pool, unsigned size)
{
	switch (cape_runtime->openmp->wait_policy) {
	case CAPE_WAIT_PASSIVE:
		return CAPE_LOOKS_NONE;
	case CAPE_WAIT_ACTIVE:
		return CAPE_LOOKS_LONG;
	default:
		return size > pool->processors ? CAPE_LOOKS_FEW : CAPE_LOOKS_MANY;
	}
}

/* Takes the place that is meant for this thread, and says which that is, as far as it is asked. */
static void take_seat(struct cape_worker *worker, const struct cape_pool *pool)
{
	int before = worker->seat.spot;

	if (pool->seats) {
		worker->seat = worker->next;
		if (worker->seat.spot != before)
			cape_places_sit(&cape_runtime->openmp->spots, (unsigned)worker->seat.spot);
	}
	if (pool->displays)
		cape_runtime->openmp->display_affinity(NULL);
}

/*
 * What a thread itself does wrong comes all the same, and the two signals by which the C library
 * cancels threads, and has all of them change their user.
 */
#define OF_C_LIBRARY (3ul << (32 - 1))
#define BLOCKED                                                                                    \
	~(OF_C_LIBRARY | 1ul << (SIGSEGV - 1) | 1ul << (SIGBUS - 1) | 1ul << (SIGFPE - 1) |        \
	  1ul << (SIGILL - 1) | 1ul << (SIGTRAP - 1) | 1ul << (SIGSYS - 1) | 1ul << (SIGABRT - 1))

/* Returns what it was. */
static uint64_t change_mask(const struct cape_pool *pool, int how, uint64_t mask)
{
	uint64_t old = 0;

	if (pool->masks)
		syscall(SYS_rt_sigprocmask, how, &mask, &old, sizeof(old));
	return old;
}

/* What the member of that NUMBER of this node's begins the region with. */
static void enter(struct cape_worker *worker, const struct cape_pool *pool, unsigned number)
{
	worker->number = pool->first + number;
	worker->size = pool->whole;
	worker->in_team = true;
	worker->team = pool->team;
	cape_worker_set_looks(worker, pool->looks);
	worker->level = pool->level;
	worker->active_level = pool->active_level;
	worker->settings = pool->settings;
	worker->shares = worker->singles = 0;
	cape_worker_begin_tasks(worker);
	worker->depth = 0;
	for (size_t i = 0; i < pool->regions; i++)
		*cape_worker_push(worker) = pool->region[i];
	take_seat(worker, pool);
}

/* Those of the region, where the program makes any at all. */
static void end_tasks(struct cape_worker *worker)
{
	if (cape_gomp_task && cape_worker_shares(worker))
		cape_team_barrier(worker);
}

static void *run_thread(void *argument)
{
	struct cape_pooled *self = argument;
	struct cape_pool *pool = cape_runtime->pool;
	struct cape_worker *worker = self->worker;
	uint32_t regions = 0, others;

	/* This allocates, and all nodes do not have threads that begin with what was saved. */
	cape_own_stack_take(worker, self->handlers);
	if (pool->begin)
		pool->begin(cape_runtime, self->number);
	cape_worker = worker;
	cape_allocates_apart = false;
	cape_works_on_node = true;
	__atomic_fetch_add(&pool->ready, 1, __ATOMIC_SEQ_CST);
	for (;;) {
		cape_worker_await(worker, &self->go, regions++);
		enter(worker, pool, self->number);
		change_mask(pool, SIG_SETMASK, pool->mask);
		pool->body(pool->data);
		end_tasks(worker);
		change_mask(pool, SIG_SETMASK, BLOCKED);
		/* The child of a fork() that this thread has made ends with it. */
		if (!cape_worker_shares(worker))
			return NULL;
		others = pool->team->size - 1;
		if (__atomic_add_fetch(&pool->joined.word, 1, __ATOMIC_SEQ_CST) == others)
			cape_signal_wake(&pool->joined);
	}
}

cape_thread_maker *cape_thread_maker_find(void)
{
	return CAPE_OWN_FUNCTION_AS(cape_thread_maker *, "pthread_create");
}

static int start_thread(struct cape_pool *pool, cape_thread_maker *create,
			const pthread_attr_t *attributes)
{
	struct cape_pooled *pooled = cape_try_allocate(sizeof(*pooled));
	pthread_t thread;
	int error;

	if (!pooled)
		return ENOMEM;
	*pooled = (struct cape_pooled){
		.number = pool->threads + 1,
		.worker = cape_worker_new(pool),
		.handlers = cape_own_stack_reserve(cape_runtime),
	};
	cape_worker_set_looks(pooled->worker, pool->looks);
	error = create(&thread, attributes, run_thread, pooled);
	if (error) {
		cape_release(pooled->worker);
		cape_release(pooled);
		return error;
	}
	pool->pooled[++pool->threads] = pooled;
	return 0;
}

/*
 * In a run that is saved, one in the run time's own memory: threads are no part of the save.  So it
 * is on nodes, where what comes after is to have the same addresses on all.
 */
static int give_stack(struct cape_runtime *runtime, pthread_attr_t *attributes)
{
	size_t size;
	char *memory;

	if (!runtime->channel ||
	    (runtime->threads == 1 &&
	     !(runtime->channel->flags & (CAPE_CHANNEL_SAVE | CAPE_CHANNEL_RESTORE))))
		return 0;
	pthread_attr_getstacksize(attributes, &size);
	size = (size + PAGE - 1) / PAGE * PAGE;
	memory = cape_private_reserve(&runtime->private, GUARD + size);
	if (!memory)
		return ENOMEM;
	mprotect(memory, GUARD, PROT_NONE);
	return pthread_attr_setstack(attributes, memory + GUARD, size);
}

static void refuse(const struct cape_place *place, unsigned requested, unsigned got, int error)
{
	cape_fail(cape_runtime_get(), 0,
		  "%s:%d: cannot start thread %u of %u for this region: %s; ask for fewer threads "
		  "(OMP_NUM_THREADS=%u), "
		  "for smaller stacks (OMP_STACKSIZE), raise the limits of processes and memory "
		  "(ulimit -u, ulimit -v), or allow teams to be smaller (OMP_DYNAMIC=true)",
		  place->file, place->line, got + 1, requested, strerror(error), got);
}

/* Makes the pool large enough for a team of SIZE; returns how large it can be. */
static unsigned make_threads(struct cape_worker *worker, unsigned size)
{
	struct cape_pool *pool = worker->pool;
	cape_thread_maker *create = cape_thread_maker_find();
	pthread_attr_t attributes;
	uint64_t mask;
	int error = 0;

	if (size > pool->room) {
		pool->room = size;
		pool->pooled =
			cape_must_resize(pool->pooled, (size + 1ul) * sizeof(struct cape_pooled *));
	}
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	if (cape_runtime->openmp->stack_size)
		error = pthread_attr_setstacksize(&attributes, cape_runtime->openmp->stack_size);
	mask = change_mask(pool, SIG_BLOCK, BLOCKED);
	/* What the C library notes of threads is theirs. */
	cape_allocates_apart = cape_runtime->threads > 1;
	while (!error && pool->threads + 1 < size) {
		error = give_stack(cape_runtime, &attributes);
		if (!error)
			error = start_thread(pool, create, &attributes);
	}
	cape_allocates_apart = false;
	change_mask(pool, SIG_SETMASK, mask);
	pthread_attr_destroy(&attributes);
	if (error && !worker->settings.dynamic)
		refuse(cape_worker_innermost(worker)->place, size, pool->threads + 1, error);
	return error ? pool->threads + 1 : size;
}

static void make_team(struct cape_pool *pool, struct cape_worker *master, unsigned size)
{
	struct cape_team *team = pool->team;

	if (!team) {
		team = pool->team = cape_try_allocate(sizeof(*team));
		if (!team)
			cape_fail(cape_runtime_get(), 0, "out of memory for a team");
		memset(team, 0, sizeof(*team));
	}
	if (size > pool->team_room) {
		pool->team_room = size;
		team->member = cape_must_resize(team->member, size * sizeof(struct cape_worker *));
	}
	cape_shares_reset(team, pool->shares);
	team->size = size;
	team->handed_over = team->singles = team->arrived = 0;
	team->has_winner = false;
	team->kind = pool->kind;
	team->has_tasks = false;
	team->choosy = 0;
	team->urgent_lock = team->urgent_count = 0;
	team->urgent = NULL;
	team->member[0] = master;
	for (unsigned i = 1; i < size; i++)
		team->member[i] = pool->pooled[i]->worker;
}

/* The regions that enclose the team, for its members to know. */
static void copy_regions(struct cape_pool *pool, const struct cape_worker *master)
{
	pool->regions = 0;
	if (master->level > pool->regions_room) {
		pool->regions_room = master->level;
		pool->region =
			cape_must_resize(pool->region, master->level * sizeof(*pool->region));
	}
	for (size_t i = 0; i < master->depth; i++)
		if (master->construct[i].is_parallel)
			pool->region[pool->regions++] = master->construct[i];
}

/* Who sits where, and whether they are to say it: as often as that changes. */
static void seat_team(struct cape_pool *pool, struct cape_worker *master)
{
	const struct cape_team *team = pool->team;
	int bind = (int)cape_worker_innermost(master)->bind;
	bool moved = pool->displayed != team->size;

	if (!bind)
		bind = cape_places_bind_at(cape_runtime, master->level - 1);
	pool->seats = master->seat.spot >= 0;
	for (unsigned i = 0; pool->seats && i < team->size; i++) {
		struct cape_worker *member = team->member[i];

		member->next = cape_places_seat(master->seat, bind, team->size, i);
		moved |= member->next.spot != member->seat.spot;
	}
	pool->displays = moved && cape_runtime->openmp->display_affinity;
	pool->displayed = team->size;
}

static void await_all(struct cape_worker *worker, struct cape_pool *pool, unsigned size)
{
	uint32_t joined;

	while ((joined = __atomic_load_n(&pool->joined.word, __ATOMIC_ACQUIRE)) != size - 1)
		cape_worker_await(worker, &pool->joined, joined);
}

void cape_pool_make(struct cape_worker *worker, unsigned size)
{
	struct cape_pool *pool = worker->pool;

	if (pool->threads + 1 < size)
		make_threads(worker, size);
	while (__atomic_load_n(&pool->ready, __ATOMIC_SEQ_CST) != pool->threads)
		syscall(SYS_sched_yield);
}

void cape_pool_run(struct cape_worker *worker, unsigned size, void (*body)(void *data), void *data)
{
	struct cape_pool *pool = worker->pool;

	pool->looks = looks_of(pool, size);
	if (pool->threads + 1 < size)
		size = make_threads(worker, size);
	worker->size = size;
	if (size == 1)
		body(data);
	else
		cape_pool_run_part(worker, size, body, data);
}

void cape_pool_run_part(struct cape_worker *worker, unsigned size, void (*body)(void *data),
			void *data)
{
	struct cape_pool *pool = worker->pool;
	struct cape_task *around;
	struct cape_seat seat = worker->seat;

	pool->mask = change_mask(pool, SIG_BLOCK, 0);
	pool->first = worker->number;
	pool->whole = worker->size;
	make_team(pool, worker, size);
	copy_regions(pool, worker);
	seat_team(pool, worker);
	pool->body = body;
	pool->data = data;
	pool->settings = worker->settings;
	pool->level = worker->level;
	pool->active_level = worker->active_level;
	pool->joined.word = 0;
	worker->in_team = true;
	worker->team = pool->team;
	cape_worker_set_looks(worker, pool->looks);
	worker->shares = worker->singles = 0;
	around = worker->tasks.current;
	cape_worker_begin_tasks(worker);
	for (unsigned i = 1; i < size; i++)
		cape_signal_set(&pool->pooled[i]->go, pool->pooled[i]->go.word + 1);
	take_seat(worker, pool);
	body(data);
	end_tasks(worker);
	worker->tasks.current = around;
	worker->seat = seat;
	/* Not in the child of a fork(). */
	if (!cape_worker_shares(worker))
		return;
	await_all(worker, pool, size);
	cape_reductions_fold(pool->team);
	pool->shares = worker->shares;
	worker->in_team = false;
}
