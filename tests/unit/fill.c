// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fill.c - pages come, and are opened, while a second thread uses them: it never sees half of one,
 * what it writes is a change against the base, and an access to what is open by now is made again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "message/port.h"
#include "heap/heap.h"
#include "memory/twin.h"
#include "message/exchange.h"
#include "base/ordering.h"
#include "need/parts.h"
#include "profile/profile.h"

#include "reserve.h"

#define PAGES  16u
#define ROUNDS 300u
#define WORD   (CAPE_PAGE - sizeof(uint64_t)) /* the last of a page, which is filled last */

/* This node is 0, which holds nothing at first; 1 owns all. */
static struct world {
	struct cape_runtime runtime;
	struct cape_private private;
	struct cape_areas areas;
	struct cape_directory directory;
	struct cape_need need;
	struct cape_profiling profiling;
	struct cape_message message; /* of node 1, while pages are shared */
	unsigned char *memory;	     /* PAGES pages */
	unsigned char *from;	     /* what they are at their owner, behind one page */
	unsigned failures;
} world;

struct cape_runtime *cape_runtime;
__thread bool cape_works_on_node;

static void nothing(struct cape_runtime *runtime)
{
	(void)runtime;
}

static const struct cape_ordering ordering = {.begin_access = nothing, .end_access = nothing};

/* -- what is asked of the run time ------------------------------------------------------------ */

void *cape_private_reserve(struct cape_private *private, size_t size)
{
	(void)private;
	return reserve(size);
}

void cape_fail(struct cape_runtime *runtime, uint64_t address, const char *format, ...)
{
	(void)runtime, (void)address;
	fprintf(stderr, "# %s\n", format);
	abort();
}

size_t cape_heap_ranges(const struct cape_heap *heap, struct cape_heap_range *range, size_t limit)
{
	(void)heap, (void)range, (void)limit;
	return 0;
}

size_t cape_arena_first_block(void)
{
	return 0;
}

static const unsigned char *get(struct cape_runtime *runtime, uint32_t pages, bool *read)
{
	(void)runtime, (void)pages;
	*read = true;
	return world.from;
}

static const struct cape_port port = {.get = get};
static struct cape_service service = {.port = &port};

void cape_need_foresee(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address)
{
	cape_need_plan_add(runtime, area, (struct cape_range){address, address + CAPE_PAGE});
}

/* No page is divided. */
void cape_divided_copy(struct cape_runtime *runtime, const struct cape_range *range, size_t count)
{
	(void)runtime, (void)range, (void)count;
}

void cape_ranges_add(struct cape_runtime *runtime, struct cape_ranges *list,
		     struct cape_range range)
{
	(void)runtime, (void)list, (void)range;
}

bool cape_divided_is_open(const struct cape_runtime *runtime, const struct cape_area *area,
			  uint64_t address)
{
	(void)runtime, (void)area, (void)address;
	return true;
}

void cape_divided_open(struct cape_runtime *runtime, const struct cape_range *range, size_t count)
{
	(void)runtime, (void)range, (void)count;
}

void cape_divided_close(struct cape_runtime *runtime)
{
	(void)runtime;
}

void cape_divided_settle(struct cape_runtime *runtime)
{
	(void)runtime;
}

void cape_divided_settle_pages(struct cape_runtime *runtime, struct cape_area *area,
			       struct cape_range pages)
{
	(void)runtime;
	(void)area;
	(void)pages;
}

void cape_need_learn_came(struct cape_directory_page *page)
{
	(void)page;
}

void cape_need_list_add(struct cape_need_list *list, struct cape_range pages)
{
	(void)list, (void)pages;
}

void cape_profiling_memory(struct cape_runtime *runtime, enum cape_traffic traffic,
			   struct cape_range range, unsigned nodes)
{
	(void)runtime, (void)traffic, (void)range, (void)nodes;
}

void *cape_exchange_open(struct cape_runtime *runtime, struct cape_message_writer *writer,
			 enum cape_sync_kind kind, uint64_t size, const struct cape_place *place)
{
	(void)runtime, (void)writer, (void)kind, (void)size, (void)place;
	return reserve(size);
}

void cape_exchange_close(struct cape_runtime *runtime, struct cape_message_writer *writer)
{
	(void)runtime, (void)writer;
}

/* This node's own says where sharing begins, and so does node 1's. */
const struct cape_message *cape_exchange_message(struct cape_runtime *runtime, unsigned node)
{
	(void)runtime;
	memcpy(world.from - sizeof(uint64_t), &world.memory, sizeof(uint64_t));
	world.message.size[CAPE_SECTION_FREE] =
		sizeof(uint64_t) + (node == 1 ? PAGES * CAPE_PAGE : 0);
	return &world.message;
}

const unsigned char *cape_message_get(const struct cape_message *message, enum cape_section section)
{
	(void)message, (void)section;
	return world.from - sizeof(uint64_t);
}

/* -- the node --------------------------------------------------------------------------------- */

static struct cape_area *area(void)
{
	return &world.areas.area[0];
}

static struct cape_range all_pages(void)
{
	uint64_t start = (uintptr_t)world.memory;

	return (struct cape_range){start, start + PAGES * CAPE_PAGE};
}

static int start(void **state)
{
	static struct cape_channel *channel;
	struct world *w = &world;

	(void)state;
	if (!channel)
		channel = reserve(CAPE_CHANNEL_SIZE);
	*w = (struct world){.memory = reserve(PAGES * CAPE_PAGE),
			    .from = (unsigned char *)reserve((PAGES + 1) * CAPE_PAGE) + CAPE_PAGE};
	w->runtime = (struct cape_runtime){
		.node = 0,
		.nodes = 2,
		.channel = channel,
		.areas = &w->areas,
		.directory = &w->directory,
		.need = &w->need,
		.service = &service,
		.ordering = &ordering,
		.profiling = &w->profiling,
		.initial_thread = pthread_self(),
	};
	w->need.on = true;
	w->need.sets = &w->directory.sets;
	cape_runtime = &w->runtime;
	cape_areas_start(&w->areas, &w->private, &cape_base_twin);
	assert_int_equal(cape_areas_add(&w->areas, CAPE_AREA_HEAP, all_pages().start,
					all_pages().end, 0, "the heap"),
			 0);
	cape_directory_start(&w->runtime);
	assert_true(cape_hidden_open(&w->need.hidden, reserve(CAPE_PAGE)));
	return 0;
}

static int stop(void **state)
{
	(void)state;
	cape_hidden_close(&world.need.hidden);
	return 0;
}

/* Node 1 has all pages, and this node remembers what they were.  Bit N of BITS: node N holds them.
 */
static void leave_to_owner(uint64_t bits)
{
	struct cape_range pages = all_pages();
	cape_node_set holders = CAPE_NO_NODES;

	assert_true(cape_node_set_take(&world.directory.sets, &bits, &holders));
	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE)
		cape_directory_set(&world.runtime, area(), at, holders, 1, CAPE_EVENT_CLAIM);
	cape_need_protect(&world.runtime, pages, true);
	cape_directory_open(&world.runtime, area(), pages, false);
}

static volatile uint64_t *word_of(unsigned char *pages, unsigned page)
{
	return (volatile uint64_t *)(pages + page * CAPE_PAGE + WORD);
}

static void own_values(uint64_t round)
{
	mprotect(world.from, PAGES * CAPE_PAGE, PROT_READ | PROT_WRITE);
	for (unsigned page = 0; page < PAGES; page++)
		*word_of(world.from, page) = round * PAGES + page + 1;
}

static void fetch(void)
{
	cape_need_plan(&world.runtime, 1);
	assert_true(cape_need_plan_add(&world.runtime, area(), all_pages()));
	cape_need_fetch(&world.runtime);
}

/* Sequential code: pages become common. */
static void share(void)
{
	cape_need_share_all(&world.runtime);
}

/* -- a second thread -------------------------------------------------------------------------- */

static sem_t go, seen;
static bool slow; /* what is read for a page waits until the thread has come to the page */
static bool told;
static uint64_t value; /* that the thread came to */

static void tell(void)
{
	if (!told)
		sem_post(&seen);
	told = true;
}

/* The thread waits for the page; who fills it waits until the thread has come to it. */
static void on_fault(int number, siginfo_t *information, void *context)
{
	unsigned char *at = information->si_addr;

	(void)number, (void)context;
	if (at >= world.memory && at < world.memory + PAGES * CAPE_PAGE) {
		tell();
		sched_yield();
	} else if (slow && at >= world.from && at < world.from + PAGES * CAPE_PAGE) {
		slow = false;
		sem_post(&go);
		sem_wait(&seen);
		mprotect(world.from, PAGES * CAPE_PAGE, PROT_READ | PROT_WRITE);
	} else {
		abort();
	}
}

static void *read_first_page(void *argument)
{
	(void)argument;
	sem_wait(&go);
	value = *word_of(world.memory, 0);
	tell();
	return NULL;
}

static void *read_all_pages(void *argument)
{
	uint64_t round = (uint64_t)(uintptr_t)argument;

	sem_post(&go);
	for (unsigned page = 0; page < PAGES; page++)
		world.failures += *word_of(world.memory, PAGES - 1 - page) !=
				  round * PAGES + (PAGES - 1 - page) + 1;
	return NULL;
}

/* BRING is called while the thread runs. */
static void beside(void *(*run)(void *argument), uint64_t argument, void (*bring)(void))
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
	struct sigaction before;
	pthread_t thread;

	told = false;
	sem_init(&go, 0, 0);
	sem_init(&seen, 0, 0);
	assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
	assert_int_equal(pthread_create(&thread, NULL, run, (void *)(uintptr_t)argument), 0);
	if (!slow)
		sem_wait(&go);
	bring();
	assert_int_equal(pthread_join(thread, NULL), 0);
	sigaction(SIGSEGV, &before, NULL);
}

/* The thread comes to the page just when it is to be filled. */
static void see_no_half(void (*bring)(void))
{
	leave_to_owner(2);
	own_values(7);
	mprotect(world.from, PAGES * CAPE_PAGE, PROT_NONE);
	slow = true;
	beside(read_first_page, 0, bring);
	assert_int_equal(value, 7 * PAGES + 1);
}

/* Nor at any other time. */
static void see_none(void (*bring)(void))
{
	for (uint64_t round = 1; round < ROUNDS; round++) {
		leave_to_owner(2);
		own_values(round);
		beside(read_all_pages, round, bring);
	}
	assert_int_equal(world.failures, 0);
}

static void fetched_pages(void **state)
{
	(void)state;
	see_no_half(fetch);
	assert_memory_equal(world.memory, world.from, PAGES * CAPE_PAGE);
	assert_memory_equal(cape_area_twin(area(), all_pages().start, PAGES * CAPE_PAGE),
			    world.from, PAGES * CAPE_PAGE);
	see_none(fetch);
}

static void shared_pages(void **state)
{
	(void)state;
	/* Not before they are looked at: where sharing begins stands before them. */
	see_none(share);
	assert_int_equal(world.directory.count, 0);
}

/* What this node has taken from the log is on the page before a thread can see it. */
static void entries_of_the_log(void **state)
{
	static const uint64_t later = 12345;
	unsigned char entry[64], *stop;
	struct cape_run run = {all_pages().start + WORD, sizeof(later)};
	uint64_t end = 0;

	(void)state;
	world.need.unused = reserve(2 * CAPE_PAGE);
	stop = cape_exact_put(entry, &end, &run, &later, NULL);
	world.need.missed = true;
	cape_need_took_entry(&world.runtime, entry, (uint64_t)(stop - entry));
	leave_to_owner(2);
	own_values(7);
	mprotect(world.from, PAGES * CAPE_PAGE, PROT_NONE);
	slow = true;
	beside(read_first_page, 0, fetch);
	assert_int_equal(value, later);
	assert_int_equal(*word_of(cape_area_twin(area(), all_pages().start, CAPE_PAGE), 0), later);
	assert_int_equal(*word_of(world.memory, 1), 7 * PAGES + 2);
}

/* -- pages that are here, and are opened ------------------------------------------------------ */

static void *write_last_page(void *argument)
{
	sem_post(&go);
	*word_of(world.memory, PAGES - 1) = (uint64_t)(uintptr_t)argument;
	return NULL;
}

static void open_pages(void)
{
	cape_need_open(&world.runtime, area(), all_pages());
}

/* Memory is the base until the pages are opened: what the thread then writes is a change. */
static void opened_pages(void **state)
{
	(void)state;
	for (uint64_t round = 1; round < ROUNDS; round++) {
		uint64_t before = *word_of(world.memory, PAGES - 1);
		const unsigned char *base;
		uint64_t known;

		cape_area_settled(area(), all_pages().start, PAGES * CAPE_PAGE, false);
		leave_to_owner(3);
		beside(write_last_page, round, open_pages);
		base = cape_area_base_at(area(), all_pages().end - sizeof(uint64_t),
					 all_pages().end, &known);
		assert_int_equal(*(const uint64_t *)(const void *)base, before);
		assert_int_equal(*word_of(world.memory, PAGES - 1), round);
	}
}

/* -- faults ----------------------------------------------------------------------------------- */

/* The access was made before the page was opened, and is made once more; then it is the program's.
 */
static void *fault_on_open_page(void *argument)
{
	uint64_t address = all_pages().start + WORD;

	(void)argument;
	for (unsigned i = 0; i < 3; i++) {
		world.failures += !cape_need_handle(&world.runtime, address, true);
		world.failures += cape_need_handle(&world.runtime, address, true);
		/* Something else is opened or protected. */
		cape_need_protect(&world.runtime,
				  (struct cape_range){all_pages().start, all_pages().end}, false);
	}
	return NULL;
}

static void second_faults(void **state)
{
	pthread_t thread;

	(void)state;
	/* Common pages; then held ones, that are open. */
	for (unsigned i = 0; i < 2; i++) {
		fault_on_open_page(NULL);
		assert_int_equal(pthread_create(&thread, NULL, fault_on_open_page, NULL), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(world.failures, 0);
		leave_to_owner(3);
		open_pages();
	}
	assert_false(cape_need_handle(&world.runtime, 4096, true));
}

/* Pages come, and are opened, by protection that is not passed. */
static void come_openly(void)
{
	leave_to_owner(2);
	own_values(3);
	fetch();
	assert_memory_equal(world.memory, world.from, PAGES * CAPE_PAGE);
	leave_to_owner(3);
	cape_area_settled(area(), all_pages().start, PAGES * CAPE_PAGE, false);
	open_pages();
	assert_memory_equal(cape_area_twin(area(), all_pages().start, PAGES * CAPE_PAGE),
			    world.memory, PAGES * CAPE_PAGE);
}

/* Where the kernel refuses to pass protection. */
static void not_hidden(void **state)
{
	(void)state;
	cape_hidden_close(&world.need.hidden);
	come_openly();
}

/* The program has closed what it did not know, and given its number to a file. */
static void number_taken(void **state)
{
	int file = memfd_create("a file", 0), number = world.need.hidden.file;
	struct stat status;

	(void)state;
	assert_int_equal(dup2(file, number), number);
	come_openly();
	assert_int_equal(fstat(file, &status), 0);
	assert_int_equal(status.st_size, 0);
	cape_hidden_close(&world.need.hidden);
	assert_int_equal(fcntl(number, F_GETFD), 0);
	close(number);
	close(file);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(fetched_pages, start, stop),
		cmocka_unit_test_setup_teardown(shared_pages, start, stop),
		cmocka_unit_test_setup_teardown(entries_of_the_log, start, stop),
		cmocka_unit_test_setup_teardown(opened_pages, start, stop),
		cmocka_unit_test_setup_teardown(second_faults, start, stop),
		cmocka_unit_test_setup_teardown(not_hidden, start, stop),
		cmocka_unit_test_setup_teardown(number_taken, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
