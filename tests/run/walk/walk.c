// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walk.c - FILE STEPS [fine]: three nodes and two pages; from each state of the pages that it comes
 * to, every event in turn, of which there are reads and writes, locks, flushes, sync points and
 * what sequential code does.  Each word that a node reads is to be one that it may see there.
 *
 * Nodes take turns besides CAPE (outside.h), so that a step is over before the next begins: node 0
 * chooses, first what was not tried yet in this state.  What is right follows from release
 * consistency alone.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "outside.h"

/* Of the 512 of a page: each node's many, and behind them what is shared. */
#define FIRST_OF_MANY	8
#define MANY		160
#define FIRST_OF_SHARED (FIRST_OF_MANY + NODES * MANY)
#define SHARED_WORDS	24

#define VALUES 3 /* of a word */

/* In steps: how long nodes meet as often as they may, and then once in how many. */
#define SEASON 5000
#define RARELY 16
/* Steps between loops; how often the steps of a loop are made. */
#define LOOP_EVERY 1000
#define ROUNDS	   12

static volatile long page[PAGES][512] __attribute__((aligned(4096)));
static struct outside *outside;
static uint64_t steps;
static int finely;

/* -- what is right -------------------------------------------------------------------------- */

static void tell_steps(void)
{
	uint64_t first = outside->steps > STEPS ? outside->steps - STEPS : 0;
	char text[80];

	for (uint64_t i = first; i < outside->steps; i++)
		fprintf(stderr, "walk: step %llu: %s\n", (unsigned long long)i,
			outside_event(outside->step[i % STEPS], text));
}

/* A word's values come again: who compares with what is too old is to take one for unchanged. */
static long value_of(uint64_t count)
{
	return (long)(count % VALUES);
}

/* The VALUE that THREAD has read of WORD is one that it may see. */
static void check(int thread, int which, int word, long value)
{
	uint64_t least = outside->least[thread][which][word], now = outside->now[which][word];

	for (uint64_t count = least; count <= now; count++)
		if (value == value_of(count))
			return;
	tell_steps();
	fprintf(stderr, "walk: node %d reads %ld in word %d of page %d, which is %ld", thread,
		value, word, which, value_of(least));
	if (now != least)
		fprintf(stderr, " to %ld", value_of(now));
	fprintf(stderr, "\n");
	exit(1);
}

static void check_page(int thread, int which)
{
	for (int word = 0; word < MANY_OF_FIRST; word++)
		check(thread, which, word, page[which][word]);
	for (int i = 0; i < NODES * MANY; i++)
		check(thread, which, MANY_OF_FIRST + i / MANY, page[which][FIRST_OF_MANY + i]);
	for (int i = 0; i < SHARED_WORDS; i++)
		check(thread, which, SHARED, page[which][FIRST_OF_SHARED + i]);
}

/* THREAD writes the next value. */
static long next_value(int thread, int which, int word)
{
	uint64_t count = ++outside->now[which][word];

	outside->least[thread][which][word] = count;
	return value_of(count);
}

static void publish_word(int thread, enum walk_publishing how, int which, int word)
{
	uint64_t *published = &outside->published[how][which][word];

	if (*published < outside->least[thread][which][word])
		*published = outside->least[thread][which][word];
}

/* All that THREAD has written. */
static void publish(int thread, enum walk_publishing how)
{
	for (int which = 0; which < PAGES; which++) {
		publish_word(thread, how, which, OWN_OF_FIRST + thread);
		publish_word(thread, how, which, MANY_OF_FIRST + thread);
		if (outside->written[thread][which] & 1 << WRITE_LOCKED)
			publish_word(thread, how, which, LOCKED);
		if (outside->writer[which] == (uint32_t)thread + 1)
			publish_word(thread, how, which, SHARED);
	}
}

static void take(int thread, enum walk_publishing how)
{
	for (int which = 0; which < PAGES; which++)
		for (int word = 0; word < WORDS; word++) {
			uint64_t value = outside->published[how][which][word];

			if (outside->least[thread][which][word] < value)
				outside->least[thread][which][word] = value;
		}
}

/* All nodes have met: they see all that was written. */
static void all_have_met(void)
{
	for (int which = 0; which < PAGES; which++) {
		outside->writer[which] = 0;
		for (int node = 0; node < NODES; node++) {
			outside->written[node][which] = 0;
			for (int word = 0; word < WORDS; word++)
				outside->least[node][which][word] = outside->now[which][word];
		}
	}
}

/* -- what is done --------------------------------------------------------------------------- */

static void write_locked(int thread, int which)
{
#pragma omp critical(lock)
	{
		take(thread, BY_FLUSH);
		take(thread, BY_LOCK);
		outside->least[thread][which][LOCKED] = outside->now[which][LOCKED];
		check(thread, which, LOCKED, page[which][LOCKED]);
		page[which][LOCKED] = next_value(thread, which, LOCKED);
		outside->written[thread][which] |= 1 << WRITE_LOCKED;
	}
	publish(thread, BY_LOCK);
}

static void write_words(int thread, int which, int word, int first, int count)
{
	long value = next_value(thread, which, word);

	for (int i = first; i < first + count; i++)
		page[which][i] = value;
}

static void write_many(int thread, int which)
{
	uint32_t *writer = &outside->writer[which];

	write_words(thread, which, MANY_OF_FIRST + thread, FIRST_OF_MANY + thread * MANY, MANY);
	if (*writer && *writer != (uint32_t)thread + 1)
		return;
	*writer = (uint32_t)thread + 1;
	write_words(thread, which, SHARED, FIRST_OF_SHARED, SHARED_WORDS);
}

static void of_a_page(int thread, int which, int kind)
{
	switch (kind) {
	case READ:
		check_page(thread, which);
		return;
	case WRITE_OWN:
		write_words(thread, which, OWN_OF_FIRST + thread, OWN_OF_FIRST + thread, 1);
		break;
	case WRITE_MANY:
		write_many(thread, which);
		break;
	default:
		write_locked(thread, which);
		return;
	}
	outside->written[thread][which] |= (uint8_t)(1 << kind);
}

static void of_a_node(int thread)
{
	publish(thread, BY_FLUSH);
#pragma omp flush
	take(thread, BY_FLUSH);
}

static void perform(int thread, int event)
{
	if (event < FLUSH) {
		of_a_page(thread, event / OF_A_PAGE % PAGES, event % OF_A_PAGE);
	} else if (event < BARRIER) {
		of_a_node(thread);
	} else if (event == BARRIER) {
#pragma omp barrier
	} else {
#pragma omp barrier
	}
}

/* On all nodes alike. */
static void sequential(int event)
{
	if (event >= SEQUENTIAL_WRITE)
		page[event - SEQUENTIAL_WRITE][SEQUENTIAL] =
			value_of(outside->now[event - SEQUENTIAL_WRITE][SEQUENTIAL] + 1);
	else if (event >= SEQUENTIAL_READ)
		for (int word = 0; word < MANY_OF_FIRST; word++)
			check(0, event - SEQUENTIAL_READ, word,
			      page[event - SEQUENTIAL_READ][word]);
}

/* -- turns ---------------------------------------------------------------------------------- */

static int node_of(int event)
{
	if (event < FLUSH)
		return event / OF_A_PAGE / PAGES;
	return event < BARRIER ? event - FLUSH : -1;
}

/* Since the last sync point: not, a little, or much; finely, how. */
static unsigned how_written(unsigned written)
{
	if (finely)
		return written;
	return written & 1 << WRITE_MANY ? 2 : written != 0;
}

static struct known_state *state_now(void)
{
	uint64_t key = 1469598103934665603u;

	for (int node = 0; node < NODES; node++)
		for (int which = 0; which < PAGES; which++) {
			key = (key ^ outside->state[node][which]) * 1099511628211u;
			key = (key ^ how_written(outside->written[node][which])) * 1099511628211u;
			outside->seen |= 1u << outside->state[node][which];
		}
	for (uint64_t at = key % KNOWN;; at = (at + 1) % KNOWN) {
		struct known_state *known = &outside->known[at];

		if (known->key == key)
			return known;
		if (known->key)
			continue;
		known->key = key;
		outside->states++;
		return known;
	}
}

/* In every other stretch of steps nodes meet rarely. */
static int is_in_season(int event)
{
	return event < BARRIER || outside->steps / SEASON % 2 == 0 || outside->steps % RARELY == 0;
}

/* What was not tried in this state, beginning anywhere; else each event in turn. */
static int next_event(struct known_state *known)
{
	int event;

	for (int i = 0; i < EVENTS; i++) {
		event = (int)((known->key + (uint64_t)i) % EVENTS);
		if (!(known->tried >> event & 1) && is_in_season(event))
			return event;
	}
	do
		event = (int)(known->next++ % EVENTS);
	while (!is_in_season(event));
	return event;
}

/*
 * Now and then a few steps of a region, drawn by lot, are made several times, as programs do: nodes
 * learn then what others read.
 */
static void begin_loop(void)
{
	uint64_t lot = outside->steps * 0x9e3779b97f4a7c15u;

	outside->loop_steps = 4 + (uint32_t)(lot >> 60) % (LOOP - 4);
	for (uint32_t i = 0; i < outside->loop_steps; i++) {
		lot = lot * 6364136223846793005u + 1442695040888963407u;
		outside->loop[i] =
			(uint32_t)(lot >> 62 ? (lot >> 40) % FLUSH : BARRIER + (lot >> 40) % 2);
	}
	outside->looped = 0;
	outside->rounds = ROUNDS;
	outside->next_loop = outside->steps + LOOP_EVERY;
}

static int choose(void)
{
	struct known_state *known = state_now();
	int event;

	if (!outside->rounds && outside->steps >= outside->next_loop)
		begin_loop();
	if (outside->rounds) {
		event = (int)outside->loop[outside->looped++];
		outside->rounds -= outside->looped == outside->loop_steps;
		outside->looped %= outside->loop_steps;
	} else {
		event = next_event(known);
	}
	outside->tried += !(known->tried >> event & 1);
	known->tried |= 1ull << event;
	outside->step[outside->steps++ % STEPS] = (uint32_t)event;
	return event;
}

static void await_done(void)
{
	for (int node = 0; node < NODES; node++) {
		uint32_t *done = &outside->done[node], turn = outside->turn[node], seen;

		while ((seen = __atomic_load_n(done, __ATOMIC_ACQUIRE)) != turn + 1)
			outside_await(done, seen);
	}
}

static void give_turn(int node)
{
	__atomic_store_n(&outside->turn[node], outside->turn[node] + 1, __ATOMIC_RELEASE);
	outside_wake(&outside->turn[node]);
}

/* Node 0: the next event is chosen, and those whose turn it is know. */
static void direct(void)
{
	int event;

	await_done();
	if (outside->event >= SEQUENTIAL_WRITE)
		outside->now[outside->event - SEQUENTIAL_WRITE][SEQUENTIAL]++;
	if (outside->event >= BARRIER)
		all_have_met();
	outside->over = outside->steps == steps;
	event = outside->over ? END : choose();
	outside->event = (uint32_t)event;
	for (int node = 0; node < NODES; node++)
		if (node_of(event) < 0 || node_of(event) == node)
			give_turn(node);
}

static void end_turn(int thread, uint32_t turn)
{
	for (int which = 0; which < PAGES; which++)
		outside->state[thread][which] = (uint8_t)outside_state((const void *)page[which]);
	__atomic_store_n(&outside->done[thread], turn + 1, __ATOMIC_RELEASE);
	outside_wake(&outside->done[thread]);
}

/* Until an event ends the region. */
static void take_turns(int thread)
{
	uint32_t turn = outside->turn[thread];

	end_turn(thread, turn);
	for (;;) {
		if (thread == 0)
			direct();
		if (thread == 0 && outside->turn[0] == turn)
			continue;
		outside_await(&outside->turn[thread], turn);
		turn++;
		if (outside->event >= END)
			return;
		perform(thread, (int)outside->event);
		end_turn(thread, turn);
	}
}

int main(int argc, char **argv)
{
	if (argc < 3 || omp_get_max_threads() != NODES)
		return fprintf(stderr, "usage: cape-run -np %d walk FILE STEPS [fine]\n", NODES), 2;
	outside = outside_map(argv[1]);
	if (!outside)
		return perror(argv[1]), 2;
	steps = strtoull(argv[2], NULL, 10);
	finely = argc > 3;
	outside->event = FLUSH;
	while (!outside->over) {
#pragma omp parallel
		take_turns(omp_get_thread_num());
		sequential((int)outside->event);
	}
	printf("right: %llu states, %llu of %llu events tried in them, seen %x\n",
	       (unsigned long long)outside->states, (unsigned long long)outside->tried,
	       (unsigned long long)outside->states * EVENTS, outside->seen);
	return 0;
}
