// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * book.c - locks, loops and the log on a board, used by processes at the same time.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "on_board.h"
#include "random.h"

#define NODES	 5
#define ROUNDS	 2000
#define LOCKS	 3
#define LOOPS	 40
#define THREADS	 3     /* of a node */
#define LONG_NAP 30000 /* microseconds: longer than the others wait awake */

/* What is true whoever comes first. */
static struct truth {
	uint32_t holder[LOCKS];	   /* and 1 */
	uint64_t published[LOCKS]; /* entries of the log when the lock was given back last */
	uint32_t came;
	uint32_t had[LOOPS][1000]; /* iterations, by so many nodes */
	uint32_t met, off;	   /* nodes, in meetings; meetings that were called off */
} * truth;

static void open_as(uint32_t node, uint32_t nodes)
{
	make_channel(node, nodes);
	channel->board.log_limit = 1 << 24;
	assert_int_equal(cape_board_open(channel), 0);
}

static void begin(void)
{
	make_board();
	memset(truth, 0, sizeof(*truth));
}

/* No exchange is made here. */
void cape_channel_request(struct cape_channel *of, enum cape_channel_request request)
{
	(void)of;
	(void)request;
	_exit(2);
}

/* Each node's program at the same time. */
static void run_all(int (*run)(uint32_t node))
{
	pid_t child[NODES];
	int status;

	for (uint32_t node = 0; node < NODES; node++) {
		child[node] = fork();
		if (child[node] == 0) {
			alarm(60);
			open_as(node, NODES);
			_exit(run(node));
		}
	}
	for (uint32_t node = 0; node < NODES; node++) {
		assert_int_equal(waitpid(child[node], &status, 0), child[node]);
		assert_int_equal(status, 0);
	}
}

/* Node and number of an entry of so many bytes; the numbers of each node grow by one. */
struct payload {
	uint64_t node, number;
	unsigned char bytes[500];
};

static bool read_all(uint64_t *numbers)
{
	struct cape_board_reader reader = cape_board_reader(channel);
	const struct cape_service_entry *entry = NULL;
	int got;

	while ((got = cape_board_next(channel, &reader, UINT64_MAX, &entry)) > 0) {
		const struct payload *payload = (const struct payload *)(entry + 1);

		if (payload->node != entry->node || payload->number != numbers[entry->node]++)
			return false;
		for (uint64_t i = 0; i < entry->size - 16; i++)
			if (payload->bytes[i] != (unsigned char)payload->number)
				return false;
	}
	cape_board_has_read(channel, &reader);
	return got == 0;
}

/* After whatever is there. */
static int append(const void *bytes, uint64_t size)
{
	int error;

	do
		error = cape_board_publish(channel, bytes, size, cape_board_entries(channel));
	while (error == -EAGAIN);
	return error;
}

static int publish(struct random *dice, uint32_t node, uint64_t number)
{
	struct payload payload = {.node = node, .number = number};

	memset(payload.bytes, (int)number, sizeof(payload.bytes));
	return append(&payload, 16 + random_below(dice, sizeof(payload.bytes)));
}

static bool acquire(uint64_t lock, uint32_t tag)
{
	struct cape_service_request request = {.tag = tag, .id = lock + 77};
	int result = cape_board_acquire(channel, &request);

	if (result == CAPE_BOOK_WAITS)
		cape_board_await_lock(channel, tag);
	return result > 0;
}

static bool release(uint64_t lock)
{
	return cape_board_release(channel, lock + 77) == 0;
}

/* Whether nobody else had it. */
static bool begin_holding(uint64_t lock, uint32_t node)
{
	return !__atomic_exchange_n(&truth->holder[lock], node + 1, __ATOMIC_SEQ_CST);
}

static void end_holding(uint64_t lock)
{
	__atomic_store_n(&truth->holder[lock], 0, __ATOMIC_SEQ_CST);
}

static int lock_and_publish(uint32_t node)
{
	struct random dice = {.state = node + 5};
	uint64_t numbers[NODES] = {0}, own = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t lock = random_below(&dice, LOCKS);

		if (!acquire(lock, 0))
			return 1;
		if (!begin_holding(lock, node))
			return 2;
		if (!read_all(numbers))
			return 3;
		if (cape_board_reader(channel).entries < truth->published[lock])
			return 4;
		if (publish(&dice, node, own++) < 0)
			return 5;
		if (round % (ROUNDS / 2) == 10 * node)
			usleep(LONG_NAP);
		truth->published[lock] = log_of(channel)->entries;
		end_holding(lock);
		if (!release(lock))
			return 6;
		if (random_below(&dice, 4) == 0)
			cape_board_await_news(channel, 50);
	}
	return numbers[node] == own || read_all(numbers) ? 0 : 7;
}

static void locks_exclude_and_bring_what_was_published(void **state)
{
	uint64_t numbers[NODES] = {0};

	(void)state;
	begin();
	run_all(lock_and_publish);
	open_as(0, NODES);
	assert_int_equal(log_of(channel)->entries, NODES * ROUNDS);
	assert_true(log_of(channel)->kept > 0);
	for (uint32_t i = 0; i < CAPE_BOOK_LISTS; i++)
		assert_int_equal(book_of(channel)->book.locks[i], 0);
	assert_true(book_of(channel)->book.used <= LOCKS);
	memset(mine(channel), 0, sizeof(*mine(channel)));
	log_of(channel)->reader[0].entries = log_of(channel)->entries;
	log_of(channel)->reader[0].bytes = log_of(channel)->bytes;
	assert_true(read_all(numbers));
}

struct thread {
	pthread_t thread;
	uint32_t node, tag;
	bool failed;
};

static void *lock_beside(void *context)
{
	struct thread *thread = context;
	struct random dice = {.state = thread->node * THREADS + thread->tag};

	for (unsigned round = 0; round < ROUNDS / THREADS && !thread->failed; round++) {
		uint64_t lock = random_below(&dice, LOCKS);

		thread->failed = !acquire(lock, thread->tag) || !begin_holding(lock, thread->node);
		if (round == 10 * thread->tag)
			usleep(LONG_NAP);
		end_holding(lock);
		thread->failed |= !release(lock);
	}
	return NULL;
}

static int run_threads(uint32_t node)
{
	struct thread thread[THREADS];
	int failed = 0;

	for (uint32_t i = 0; i < THREADS; i++) {
		thread[i] = (struct thread){.node = node, .tag = i + 1};
		if (pthread_create(&thread[i].thread, NULL, lock_beside, &thread[i]))
			return 2;
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_join(thread[i].thread, NULL);
		failed |= thread[i].failed;
	}
	return failed;
}

static void threads_of_nodes_wait_beside_each_other(void **state)
{
	(void)state;
	begin();
	run_all(run_threads);
	open_as(0, NODES);
	for (uint32_t i = 0; i < CAPE_BOOK_LISTS; i++)
		assert_int_equal(book_of(channel)->book.locks[i], 0);
}

static int run_loops(uint32_t node)
{
	for (uint32_t loop = 0; loop < LOOPS; loop++) {
		struct cape_service_request request = {.id = loop,
						       .chunk = {.first = loop % 7,
								 .end = 1000,
								 .least = loop % 5,
								 .guided = loop % 2,
								 .nodes = NODES}};
		struct cape_service_reply reply;

		for (;;) {
			if (cape_board_chunk(channel, &request, &reply) < 0)
				return 1;
			if (!reply.result)
				break;
			for (uint64_t i = reply.chunk.first; i < reply.chunk.end; i++)
				__atomic_fetch_add(&truth->had[loop][i], 1, __ATOMIC_SEQ_CST);
		}
		if (node == 0 && loop % 10 == 0)
			usleep(1000);
	}
	return 0;
}

static void chunks_are_handed_out_once(void **state)
{
	(void)state;
	begin();
	run_all(run_loops);
	for (uint32_t loop = 0; loop < LOOPS; loop++)
		for (uint32_t i = 0; i < 1000; i++)
			assert_int_equal(truth->had[loop][i], i >= loop % 7);
	open_as(0, NODES);
	for (uint32_t i = 0; i < CAPE_BOOK_LISTS; i++)
		assert_int_equal(book_of(channel)->book.loops[i], 0);
}

/* Until all have come to it once more. */
static void await_all(uint32_t *count)
{
	uint32_t number = (__atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST) / NODES + 1) * NODES;

	while (__atomic_load_n(count, __ATOMIC_SEQ_CST) < number)
		usleep(10);
}

/* Nobody takes a chunk before all others know that all have met, and have looked. */
static bool meet(uint64_t left)
{
	await_all(&truth->met);
	for (uint64_t i = 0; i < 1000; i++)
		if (truth->had[0][i] != (i < left))
			return false;
	await_all(&truth->came);
	return true;
}

static int run_and_meet(uint32_t node)
{
	struct cape_service_request request = {.chunk = {.end = 1000, .least = 2, .nodes = NODES}};
	struct cape_service_reply reply = {0};
	struct random dice = {.state = node + 9};

	await_all(&truth->came);
	do {
		request.chunk.call = node == 0 ? CAPE_CHUNK_CALL : CAPE_CHUNK_ONLY;
		if (reply.result == CAPE_CHUNK_LATER && random_below(&dice, 10) == 0)
			request.chunk.call = CAPE_CHUNK_CALL_OFF;
		if (cape_board_chunk(channel, &request, &reply) < 0)
			return 1;
		if (reply.result == CAPE_CHUNK_ALL_HERE && !meet(reply.chunk.first))
			return 2;
		if (reply.result == CAPE_CHUNK_GOT && request.chunk.call == CAPE_CHUNK_CALL_OFF)
			__atomic_fetch_add(&truth->off, 1, __ATOMIC_SEQ_CST);
		for (uint64_t i = reply.chunk.first;
		     reply.result == CAPE_CHUNK_GOT && i < reply.chunk.end; i++)
			__atomic_fetch_add(&truth->had[0][i], 1, __ATOMIC_SEQ_CST);
		usleep(10);
	} while (reply.result != CAPE_CHUNK_NONE);
	return 0;
}

static void all_chunks_are_done_where_nodes_meet(void **state)
{
	(void)state;
	begin();
	run_all(run_and_meet);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(truth->had[0][i], 1);
	assert_true(truth->met > NODES);
	assert_true(truth->off > 0);
	assert_int_equal(truth->met % NODES, 0);
}

static void what_breaks_the_rules_is_refused(void **state)
{
	struct cape_service_request request = {.id = 1, .chunk = {.end = 10, .nodes = 2}};
	struct cape_service_request lock = {.id = 7, .acquire.only_tries = true};
	struct cape_service_reply reply;

	(void)state;
	begin();
	open_as(0, 2);
	assert_int_equal(cape_board_acquire(channel, &lock), CAPE_BOOK_GOT);
	assert_int_equal(cape_board_acquire(channel, &lock), CAPE_BOOK_HELD);
	assert_int_equal(cape_book_holder(cape_board_book_of(CAPE_BOARD_FD), 7), 0);
	assert_int_equal(cape_book_holder(cape_board_book_of(CAPE_BOARD_FD), 8), -1);
	assert_int_equal(cape_board_release(channel, 8), -EPERM);
	channel->node = 1;
	assert_int_equal(cape_board_release(channel, 7), -EPERM);
	lock.acquire.only_tries = false;
	assert_int_equal(cape_board_acquire(channel, &lock), CAPE_BOOK_WAITS);
	assert_int_equal(cape_board_acquire(channel, &lock), -EALREADY);
	assert_int_equal(cape_board_chunk(channel, &request, &reply), 0);
	request.chunk.end = 11;
	assert_int_equal(cape_board_chunk(channel, &request, &reply), -EINVAL);
	/* A node that knows that all have met goes on together with the others. */
	request = (struct cape_service_request){
		.id = 2, .chunk = {.end = 10, .nodes = 2, .call = CAPE_CHUNK_CALL}};
	assert_int_equal(cape_board_chunk(channel, &request, &reply), 0);
	channel->node = 0;
	assert_int_equal(cape_board_chunk(channel, &request, &reply), 0);
	assert_int_equal(reply.result, CAPE_CHUNK_ALL_HERE);
	assert_int_equal(cape_board_chunk(channel, &request, &reply), -EALREADY);
}

/* A node that does not read keeps the others from writing, not from reading. */
static void the_log_has_a_limit(void **state)
{
	struct cape_board_reader reader;
	const struct cape_service_entry *entry = NULL;
	static unsigned char bytes[1 << 16];
	uint64_t count = 0;

	(void)state;
	begin();
	open_as(0, 2);
	/* Its ring is nearly full, and goes on at its beginning. */
	log_of(channel)->bytes = log_of(channel)->kept = CAPE_BOARD_RING_SIZE - (1 << 20);
	for (int node = 0; node < 2; node++)
		log_of(channel)->reader[node].bytes = log_of(channel)->bytes;
	assert_int_equal(append(bytes, channel->board.log_limit + 1), -ENOSPC);
	while (memset(bytes, (int)count + 1, sizeof(bytes)),
	       append(bytes, sizeof(bytes) - count) == 0)
		count++;
	assert_true(count > 200);
	assert_false(cape_board_has_news(channel));
	channel->node = 1;
	assert_true(cape_board_has_news(channel));
	reader = cape_board_reader(channel);
	for (uint64_t i = 0; i < count; i++) {
		assert_int_equal(cape_board_next(channel, &reader, count, &entry), 1);
		assert_int_equal(entry->size, sizeof(bytes) - i);
		memset(bytes, (int)i + 1, sizeof(bytes));
		assert_memory_equal(entry + 1, bytes, entry->size);
	}
	assert_int_equal(cape_board_next(channel, &reader, UINT64_MAX, &entry), 0);
	cape_board_has_read(channel, &reader);
	channel->node = 0;
	reader = cape_board_reader(channel);
	while (cape_board_next(channel, &reader, UINT64_MAX, &entry) > 0)
		;
	cape_board_has_read(channel, &reader);
	assert_int_equal(reader.own, 0);
	assert_int_equal(append(bytes, sizeof(bytes)), 0);
	assert_true(log_of(channel)->kept > CAPE_BOARD_RING_SIZE);
}

static void a_damaged_log_is_not_read(void **state)
{
	struct cape_board_reader reader;
	const struct cape_service_entry *entry = NULL;

	(void)state;
	begin();
	open_as(0, 2);
	assert_int_equal(append("abc", 3), 0);
	reader = cape_board_reader(channel);
	entry_at(channel, 0)->size = UINT64_MAX;
	assert_int_equal(cape_board_next(channel, &reader, 1, &entry), -EPROTO);
	entry_at(channel, 0)->size = 3;
	entry_at(channel, 0)->node = 2;
	assert_int_equal(cape_board_next(channel, &reader, 1, &entry), -EPROTO);
	entry_at(channel, 0)->node = 0;
	assert_int_equal(cape_board_next(channel, &reader, 0, &entry), 0);
	assert_int_equal(cape_board_next(channel, &reader, 1, &entry), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_exclude_and_bring_what_was_published),
		cmocka_unit_test(threads_of_nodes_wait_beside_each_other),
		cmocka_unit_test(chunks_are_handed_out_once),
		cmocka_unit_test(all_chunks_are_done_where_nodes_meet),
		cmocka_unit_test(what_breaks_the_rules_is_refused),
		cmocka_unit_test(the_log_has_a_limit),
		cmocka_unit_test(a_damaged_log_is_not_read),
	};

	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_ptr_not_equal(truth, MAP_FAILED);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
