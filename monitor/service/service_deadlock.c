// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_deadlock.c - finds that no program can go on, and says where each waits.
 *
 * When nothing has moved for a while, node 0 asks all monitors where their programs are.  A program
 * is stuck when the book has it wait, or when it is in an exchange that another one has not begun;
 * who computes may still free the others.  Only two rounds with the same answers, between which no
 * request came, are proof.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "channel/board_book.h"
#include "common/clock.h"
#include "common/process_state.h"
#include "service_state.h"

#define QUIET_NS       2000000000ull
#define SECOND_LOOK_NS 500000000ull
#define LONG_QUIET_NS  4000000000ull /* while node 0's own program computes */
#define TEXT_SIZE      16384

/* Of its program, by whatever way. */
static uint64_t requests_of(const struct node *node)
{
	return node->requests + node->channel->board.asked + node_meetings(node);
}

/* Whether all threads of the node's program wait; who has been given a lock does not sleep. */
static bool all_wait(const struct node *node)
{
	return __atomic_load_n(&node->channel->waiting, __ATOMIC_RELAXED) >=
		       (uint32_t)node_threads(node) &&
	       process_sleeps(node->program);
}

struct whereabouts deadlock_whereabouts(const struct node *node, uint32_t round)
{
	const struct cape_channel_state *state = &node->channel->state;
	struct whereabouts answer = {
		.round = round,
		.activity = ACTIVITY_COMPUTES,
		.requests = requests_of(node),
		.exchanges = node->exchanges + node_meetings(node),
		.line = state->line,
	};

	memcpy(answer.file, state->file, sizeof(answer.file) - 1);
	if (node->program_ended)
		answer.activity = ACTIVITY_ENDED;
	else if (node->exchanging || node_meets(node))
		answer.activity = ACTIVITY_EXCHANGES;
	else if (node_threads(node) > 1)
		answer.activity = all_wait(node) ? ACTIVITY_WAITS : ACTIVITY_COMPUTES;
	else if (node->service->asked)
		answer.activity = ACTIVITY_IS_SERVED;
	return answer;
}

int deadlock_start(struct node *node)
{
	struct search *search = &node->service->search;

	search->now = calloc((size_t)node->size, sizeof(*search->now));
	search->before = calloc((size_t)node->size, sizeof(*search->before));
	search->quiet_since = clock_now();
	return search->now && search->before ? 0 : -ENOMEM;
}

/* Where the locks are: on the board, once there is one, or here. */
static const struct cape_book *held(const struct node *node)
{
	struct search *search = &node->service->search;

	if (!search->board && node->board_file >= 0)
		search->board = cape_board_book_of(node->board_file);
	return search->board ? search->board : node->service->book.held;
}

/* Of node 0's book, and of that on the board. */
static uint64_t changes(const struct node *node)
{
	return node->service->book.changes + held(node)->changes;
}

void deadlock_stop(struct node *node)
{
	free(node->service->search.now);
	free(node->service->search.before);
}

/* Something moved, or may. */
static void begin_again(struct node *node)
{
	struct search *search = &node->service->search;

	search->quiet_since = clock_now();
	search->changes = changes(node);
	search->requests = requests_of(node);
	search->asking = false;
	search->suspicious = false;
}

static void ask_around(struct node *node)
{
	struct service *service = node->service;
	struct search *search = &service->search;

	search->asking = true;
	search->round++;
	search->missing = service->links - 1;
	search->now[0] = deadlock_whereabouts(node, search->round);
	for (uint32_t i = 1; i < service->links; i++)
		link_put(&service->link[i], LINK_QUESTION, &search->round, sizeof(search->round));
}

/* The request for a lock in which the node's program, or one of its threads, waits; or NULL. */
static const struct cape_book_waiter *lock_wait(const struct node *node, uint32_t which)
{
	const struct cape_book_waiter *waiter = &held(node)->waiter[cape_book_number(which, 0) - 1];
	int threads = node_threads(node);

	for (int tag = threads > 1; tag < CAPE_CHANNEL_TAGS && tag <= threads; tag++)
		if (waiter[tag].waits)
			return &waiter[tag];
	return NULL;
}

static bool is_stuck(const struct node *node, uint32_t which, uint64_t fewest)
{
	const struct whereabouts *at = &node->service->search.now[which];
	const struct book_node *asked = &node->service->book.node[which];

	switch (at->activity) {
	case ACTIVITY_EXCHANGES:
		return at->exchanges > fewest;
	case ACTIVITY_IS_SERVED:
		return asked->waits && asked->request.kind != CAPE_SERVICE_FLUSH;
	case ACTIVITY_WAITS:
	case ACTIVITY_ENDED:
		return true;
	default:
		return node_threads(node) == 1 && lock_wait(node, which);
	}
}

static uint64_t fewest_exchanges(const struct node *node)
{
	const struct search *search = &node->service->search;
	uint64_t fewest = UINT64_MAX;

	for (int i = 0; i < node->size; i++)
		if (search->now[i].exchanges < fewest)
			fewest = search->now[i].exchanges;
	return fewest;
}

/*
 * Whether no program can go on.  That programs have ended while all others are at a sync point
 * is for those to say (patience.h).
 */
static bool all_stuck(const struct node *node)
{
	const struct search *search = &node->service->search;
	uint64_t fewest = fewest_exchanges(node);
	bool served = false;

	for (int i = 0; i < node->size; i++) {
		if (!is_stuck(node, (uint32_t)i, fewest))
			return false;
		served |= search->now[i].activity == ACTIVITY_IS_SERVED ||
			  search->now[i].activity == ACTIVITY_WAITS || lock_wait(node, (uint32_t)i);
	}
	return served;
}

/* The only program that computes while all others wait, or -1. */
static int find_alone(const struct node *node)
{
	uint64_t fewest = fewest_exchanges(node);
	int alone = -1;

	for (int i = 0; i < node->size; i++) {
		if (is_stuck(node, (uint32_t)i, fewest))
			continue;
		if (alone >= 0 || node->service->search.now[i].activity != ACTIVITY_COMPUTES)
			return -1;
		alone = i;
	}
	return node->size > 1 ? alone : -1;
}

static bool same_as_before(const struct node *node)
{
	const struct search *search = &node->service->search;

	for (int i = 0; i < node->size; i++)
		if (search->now[i].activity != search->before[i].activity ||
		    search->now[i].requests != search->before[i].requests ||
		    search->now[i].exchanges != search->before[i].exchanges)
			return false;
	return true;
}

/* As the user knows what the lock of that number stands for, held by node %d. */
static const char *held_words(uint64_t id)
{
	switch (id & CAPE_LOCK_KIND) {
	case CAPE_LOCK_OF_NAME:
		return "for a critical construct that node %d is in";
	case CAPE_LOCK_OF_ATOMICS:
		return "for an atomic construct that node %d is in";
	default:
		return "for a lock that node %d holds";
	}
}

static void what_for(const struct node *node, uint32_t which, char *text, size_t size)
{
	const struct cape_service_request *request = &node->service->book.node[which].request;
	const struct cape_book_waiter *lock = lock_wait(node, which);
	static const char *const words[CAPE_SERVICE_KINDS] = {
		[CAPE_SERVICE_CATCH_UP] = "for changes that other nodes publish",
		[CAPE_SERVICE_ORDERED_WAIT] = "for its turn in an ordered loop",
		[CAPE_SERVICE_TASK_TAKE] = "for a task to run",
		[CAPE_SERVICE_TASK_WAIT] = "for tasks that are not done",
	};

	if (lock)
		snprintf(text, size, held_words(lock->id), cape_book_holder(held(node), lock->id));
	else if (node_threads(node) > 1)
		snprintf(text, size, "for a lock of its own node, or its turn in an ordered loop");
	else
		snprintf(text, size, "%s",
			 request->kind < CAPE_SERVICE_KINDS && words[request->kind]
				 ? words[request->kind]
				 : "for an answer");
}

static void describe(const struct node *node, uint32_t which, char *text, size_t size)
{
	const struct whereabouts *at = &node->service->search.now[which];
	const char *who = at->activity == ACTIVITY_WAITS ? "with all its threads, one " : "";
	char what[128];

	if (at->activity == ACTIVITY_ENDED) {
		snprintf(text, size, "has ended, after %.235s:%d", at->file, at->line);
		return;
	}
	if (at->activity == ACTIVITY_EXCHANGES)
		strcpy(what, "for all nodes to come to this sync point");
	else
		what_for(node, which, what, sizeof(what));
	snprintf(text, size, "waits at %.235s:%d %s%s", at->file, at->line, who, what);
}

/* One line for each node. */
static void report(struct node *node)
{
	char *text = malloc(TEXT_SIZE), line[512];
	size_t used = 0;

	for (int i = 0; text && i < node->size && used < TEXT_SIZE; i++) {
		describe(node, (uint32_t)i, line, sizeof(line));
		used += (size_t)snprintf(text + used, TEXT_SIZE - used, "\n  node %d %s", i, line);
	}
	node_fail(node, 1, "deadlock: no node can go on%s", text ? text : "");
	free(text);
}

static void judge(struct node *node)
{
	struct search *search = &node->service->search;
	struct whereabouts *spare = search->before;
	int alone = find_alone(node);

	search->asking = false;
	if (alone >= 0)
		alone_ask(node, (uint32_t)alone);
	if (search->changes != changes(node) || !all_stuck(node) ||
	    (search->suspicious && !same_as_before(node))) {
		begin_again(node);
	} else if (search->suspicious) {
		report(node);
	} else {
		search->suspicious = true;
		search->quiet_since = clock_now();
		search->before = search->now;
		search->now = spare;
	}
}

void deadlock_answer(struct node *node, uint32_t which, const struct whereabouts *answer)
{
	struct search *search = &node->service->search;

	if (!search->asking || answer->round != search->round)
		return;
	search->now[which] = *answer;
	search->now[which].file[sizeof(answer->file) - 1] = '\0';
	if (--search->missing == 0)
		judge(node);
}

void deadlock_look(struct node *node)
{
	struct search *search = &node->service->search;
	uint64_t quiet = search->suspicious ? SECOND_LOOK_NS : QUIET_NS;

	if (deadlock_whereabouts(node, 0).activity == ACTIVITY_COMPUTES)
		quiet = LONG_QUIET_NS;
	if (search->changes != changes(node) || search->requests != requests_of(node))
		begin_again(node);
	else if (!search->asking && clock_now() - search->quiet_since > quiet) {
		ask_around(node);
		if (!search->missing)
			judge(node);
	}
}
