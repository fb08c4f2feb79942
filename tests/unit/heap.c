/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.c - the heap of several nodes: processes that exchange their arenas' bytes as a sync
 * point does, and must then agree; foreign frees; which memory is in use and reachable.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "heap/arena.c"
#include "heap/arena_lists.c"
#include "heap/heap.c"

#define NODES  3
#define ROUNDS 12
#define SLOTS  240
#define MB     ((uint64_t)1 << 20)

/* A block of the random program. */
struct slot {
	uint64_t *block;
	size_t words;
};

/* What the nodes' processes share: the "network". */
struct network {
	pthread_barrier_t barrier;
	struct slot slots[SLOTS];
	struct {
		uint64_t hash;
		uint64_t length;
		unsigned char bytes[64 << 20];
	} node[NODES];
};

/* A node is a process, so it reports by its exit status. */
#define require(condition)                                                                         \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: node %u: %s\n", __FILE__, __LINE__, heap.node,     \
				#condition);                                                       \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static struct cape_heap heap;
static struct network *network;
static uint64_t random_state;

static uint64_t random_number(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) % below;
}

static void seed_random(uint64_t seed)
{
	random_state = seed * 0x9e3779b97f4a7c15 + 1;
}

/* -- a run of several nodes ------------------------------------------------------------- */

/* Runs PROGRAM as each node, in a process of its own; all must succeed. */
static void run_nodes(void (*program)(void))
{
	pthread_barrierattr_t attribute;

	network = mmap(NULL, sizeof *network, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(network, MAP_FAILED);
	pthread_barrierattr_init(&attribute);
	pthread_barrierattr_setpshared(&attribute, PTHREAD_PROCESS_SHARED);
	assert_int_equal(pthread_barrier_init(&network->barrier, &attribute, NODES), 0);
	for (unsigned int node = 0; node < NODES; node++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (child)
			continue;
		alarm(20);
		require(!cape_heap_start(&heap, node, NODES));
		program();
		_exit(0);
	}
	for (unsigned int node = 0; node < NODES; node++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	munmap(network, sizeof *network);
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
	return hash;
}

static uint64_t hash_heap(void)
{
	struct cape_heap_range ranges[1 + NODES];
	uint64_t hash = 0xcbf29ce484222325;

	require(cape_heap_ranges(&heap, ranges, 1 + NODES) == 1 + NODES);
	for (int i = 0; i <= NODES; i++) {
		hash = hash_bytes(hash, &ranges[i], sizeof ranges[i]);
		hash = hash_bytes(hash, (void *)(uintptr_t)ranges[i].address, ranges[i].length);
	}
	return hash;
}

static void require_same_heap(void)
{
	network->node[heap.node].hash = hash_heap();
	pthread_barrier_wait(&network->barrier);
	for (int i = 0; i < NODES; i++)
		require(network->node[i].hash == network->node[heap.node].hash);
	pthread_barrier_wait(&network->barrier);
}

/* Injects the pages of node k's arena that differ from zero or from what is here. */
static void inject(unsigned int k)
{
	static const unsigned char zeros[4096];
	uint64_t length = network->node[k].length;

	for (uint64_t at = 0; at < length; at += 4096) {
		const unsigned char *bytes = network->node[k].bytes + at;
		uint64_t part = length - at < 4096 ? length - at : 4096;
		unsigned char *target = heap.arenas[1 + k].start + at;

		if (at + part > heap.arenas[1 + k].writable && !memcmp(bytes, zeros, part))
			continue;
		require(!cape_heap_reach(&heap, (uintptr_t)target, part));
		memcpy(target, bytes, part);
	}
}

/* Every node's arena goes to the others; nothing else does, so nothing else may have changed. */
static void sync_point(void)
{
	struct cape_heap_range ranges[1 + NODES], *own = &ranges[1 + heap.node];

	cape_heap_ranges(&heap, ranges, 1 + NODES);
	require(own->length <= sizeof network->node[0].bytes);
	network->node[heap.node].length = own->length;
	memcpy(network->node[heap.node].bytes, (void *)(uintptr_t)own->address, own->length);
	pthread_barrier_wait(&network->barrier);
	for (unsigned int k = 0; k < NODES; k++)
		if (k != heap.node)
			inject(k);
	require(!cape_heap_catch_up(&heap));
	pthread_barrier_wait(&network->barrier);
}

/* -- random programs -------------------------------------------------------------------- */

static void fill(struct slot *slot)
{
	require(cape_heap_usable(&heap, slot->block) >= slot->words * 8);
	for (size_t i = 0; i < slot->words; i += 1 + i / 64)
		slot->block[i] = (uintptr_t)slot->block + i;
}

static void check(const struct slot *slot, const uint64_t *tag, size_t words)
{
	for (size_t i = 0; i < words; i += 1 + i / 64)
		require(slot->block[i] == (uintptr_t)tag + i);
}

static void change_slot(struct slot *slot)
{
	size_t words = random_number(random_number(20) ? 150 : 60000);
	uint64_t *old = slot->block;

	if (!old) {
		slot->words = words;
		slot->block = cape_heap_allocate(&heap, words * 8, 16);
	} else if (random_number(3)) {
		check(slot, old, slot->words);
		require(!cape_heap_release(&heap, old));
		slot->block = NULL;
	} else {
		slot->block = cape_heap_resize(&heap, old, words * 8);
		check(slot, old, words < slot->words ? words : slot->words);
		slot->words = words;
	}
	if (slot->block)
		fill(slot);
	else
		require(old);
}

/* This node's slots, which are its own in this round. */
static bool is_mine(uint64_t slot, uint64_t round)
{
	return (slot + round) % NODES == heap.node;
}

static void parallel_part(struct slot *slots, uint64_t round)
{
	struct slot mine[SLOTS];

	cape_heap_parallel(&heap, true);
	memcpy(mine, slots, sizeof mine);
	seed_random(round * NODES + heap.node);
	for (int i = 0; i < 400; i++) {
		uint64_t s = random_number(SLOTS);

		if (is_mine(s, round))
			change_slot(&mine[s]);
	}
	for (uint64_t s = 0; s < SLOTS; s++)
		if (is_mine(s, round))
			network->slots[s] = mine[s];
	sync_point();
	memcpy(slots, network->slots, sizeof mine);
	cape_heap_parallel(&heap, false);
}

/*
 * Slots belong to the nodes in turn while parallel code runs, and change their owner every
 * round, so most of what a node frees and resizes was allocated elsewhere.
 */
static void random_program(void)
{
	struct slot *slots = cape_heap_allocate_zeroed(&heap, SLOTS * sizeof *slots);

	for (uint64_t round = 0; round < ROUNDS; round++) {
		seed_random(round + 1000);
		for (int i = 0; i < 400; i++)
			change_slot(&slots[random_number(SLOTS)]);
		require_same_heap();
		parallel_part(slots, round);
		require_same_heap();
		require(cape_heap_settle(&heap, NULL, NULL) == 0);
		require_same_heap();
		for (int s = 0; s < SLOTS; s++)
			if (slots[s].block)
				check(&slots[s], slots[s].block, slots[s].words);
	}
	for (int s = 0; s < SLOTS; s++)
		if (slots[s].block)
			require(!cape_heap_release(&heap, slots[s].block));
	require_same_heap();
}

static void test_nodes_agree(void **state)
{
	(void)state;
	run_nodes(random_program);
}

/* -- foreign frees ---------------------------------------------------------------------- */

static void count_report(void *context, unsigned int node, uint64_t address)
{
	uint64_t *reports = context;

	require(node == 1 || node == 2);
	require(address == reports[1]);
	reports[0]++;
}

/* All nodes free one block; node 0 owns the right to, the others' frees must be reported. */
static void freed_three_times(void)
{
	void *thrice = cape_heap_allocate(&heap, 3000, 16), *once[300];
	uint64_t reports[2] = {0, (uintptr_t)thrice};

	for (int i = 0; i < 300; i++)
		once[i] = cape_heap_allocate(&heap, 100, 16);
	cape_heap_parallel(&heap, true);
	errno = 99;
	for (int i = 0; i < 300; i++)
		if (heap.node == (unsigned int)i % 2)
			require(!cape_heap_release(&heap, once[i]));
	require(!cape_heap_release(&heap, thrice));
	require(errno == 99);
	require(cape_heap_usable(&heap, thrice) >= 3000);
	sync_point();
	cape_heap_parallel(&heap, false);
	require_same_heap();
	require(cape_heap_settle(&heap, count_report, reports) == 2);
	require(reports[0] == 2);
	require_same_heap();
	require(cape_heap_usable(&heap, thrice) == 0);
	for (int i = 0; i < 300; i++)
		require(cape_heap_usable(&heap, once[i]) == 0);
	require(cape_heap_release(&heap, thrice) == -EFAULT);
	require(cape_heap_settle(&heap, count_report, reports) == 0);
	/* Nothing is kept of the notes. */
	for (int i = 0; i < NODES; i++)
		require(*cape_arena_root(&heap.arenas[1 + i]) == 0);
}

static void test_double_foreign_free(void **state)
{
	(void)state;
	run_nodes(freed_three_times);
}

/* In parallel code a node must not write to another arena's bookkeeping. */
static void only_own_arena(void)
{
	void *shared = cape_heap_allocate(&heap, 5000, 16), *moved;
	uint64_t before = hash_bytes(0, heap.arenas[0].start, cape_arena_top(&heap.arenas[0]));

	cape_heap_parallel(&heap, true);
	moved = cape_heap_resize(&heap, shared, 100);
	require(arena_of(&heap, moved) == &heap.arenas[1 + heap.node]);
	require(cape_heap_resize(&heap, moved, 50) == moved);
	moved = cape_heap_allocate(&heap, 20 * MB, 4096);
	require(arena_of(&heap, moved) == &heap.arenas[1 + heap.node]);
	require((uintptr_t)moved % 4096 == 0);
	require(before == hash_bytes(0, heap.arenas[0].start, cape_arena_top(&heap.arenas[0])));
	for (unsigned int k = 0; k < NODES; k++)
		require((cape_arena_top(&heap.arenas[1 + k]) != 0) == (k == heap.node));
	sync_point();
	/* What another node allocated and never wrote to can be read here, and is zero. */
	for (unsigned int k = 0; k < NODES; k++) {
		const unsigned char *end =
			heap.arenas[1 + k].start + cape_arena_top(&heap.arenas[1 + k]);

		require(end > heap.arenas[1 + k].start + 20 * MB && end[-1] == 0);
	}
}

static void test_parallel_code_keeps_to_its_arena(void **state)
{
	(void)state;
	run_nodes(only_own_arena);
}

/* -- one node --------------------------------------------------------------------------- */

static void release_heap(void)
{
	for (size_t i = 0; i <= CAPE_HEAP_MAX_NODES; i++)
		if (heap.arenas[i].writable)
			munmap(heap.arenas[i].start, heap.arenas[i].writable);
	memset(&heap, 0, sizeof heap);
}

/* The last of NODES: its arena is the last. */
static void start_last_of(unsigned nodes)
{
	static struct cape_heap_range range[2 + CAPE_HEAP_MAX_NODES];
	uint64_t size = CAPE_HEAP_NODES_SIZE / nodes;
	void *block;

	assert_int_equal(cape_heap_start(&heap, 0, 1), 0);
	block = cape_heap_allocate(&heap, 100, 16);
	assert_int_equal((uintptr_t)block & ~(uintptr_t)0xffff, CAPE_HEAP_START);
	assert_int_equal(cape_heap_start(&heap, nodes - 1, nodes), 0);
	assert_int_equal(cape_heap_usable(&heap, block), 104);
	assert_ptr_not_equal(cape_heap_allocate(&heap, 100, 16), block);
	cape_heap_parallel(&heap, true);
	block = cape_heap_allocate(&heap, 100, 16);
	assert_in_range((uintptr_t)block, CAPE_HEAP_END - size, CAPE_HEAP_END);
	assert_int_equal(cape_heap_ranges(&heap, range, 2 + CAPE_HEAP_MAX_NODES), 1 + nodes);
	assert_int_equal(range[0].address, CAPE_HEAP_START);
	assert_int_equal(range[1].length, 0);
	assert_int_equal(range[nodes].address, CAPE_HEAP_END - size);
	assert_true((uintptr_t)block + 100 <= range[nodes].address + range[nodes].length);
	release_heap();
}

static void test_start(void **state)
{
	struct cape_heap_range range[2];

	(void)state;
	assert_int_equal(cape_heap_start(&heap, 0, 0), -EINVAL);
	assert_int_equal(cape_heap_start(&heap, 0, CAPE_HEAP_MAX_NODES + 1), -EINVAL);
	assert_int_equal(cape_heap_start(&heap, 4, 4), -EINVAL);
	assert_int_equal(cape_heap_ranges(&heap, range, 2), 0);
	start_last_of(CAPE_HEAP_FEW_NODES);
	start_last_of(CAPE_HEAP_MAX_NODES);
}

static void test_addresses(void **state)
{
	int automatic = 0;

	(void)state;
	assert_int_equal(cape_heap_start(&heap, 1, 2), 0);
	assert_false(cape_heap_owns(&heap, &automatic));
	assert_false(cape_heap_owns(&heap, NULL));
	assert_false(cape_heap_owns(&heap, (void *)(CAPE_HEAP_START - 1)));
	assert_true(cape_heap_owns(&heap, (void *)CAPE_HEAP_START));
	assert_true(cape_heap_owns(&heap, (void *)(uintptr_t)(arena_address(&heap, 3) - 1)));
	assert_false(cape_heap_owns(&heap, (void *)(uintptr_t)arena_address(&heap, 3)));
	assert_int_equal(cape_heap_release(&heap, &automatic), -EFAULT);
	assert_int_equal(cape_heap_release(&heap, (void *)(uintptr_t)arena_address(&heap, 1)),
			 -EFAULT);
	assert_int_equal(cape_heap_usable(&heap, &automatic), 0);
	errno = 0;
	assert_null(cape_heap_resize(&heap, &automatic, 100));
	assert_int_equal(errno, EFAULT);

	assert_int_equal(cape_heap_reach(&heap, 0, 1000), 0);
	assert_int_equal(cape_heap_reach(&heap, CAPE_HEAP_END, UINT64_MAX - CAPE_HEAP_END), 0);
	assert_int_equal(cape_heap_reach(&heap, arena_address(&heap, 3), 1), -EFAULT);
	assert_int_equal(cape_heap_reach(&heap, CAPE_HEAP_START - 100, 5000), 0);
	assert_int_equal(cape_heap_reach(&heap, arena_address(&heap, 1) + 7 * MB, 1), 0);
	*(volatile char *)(uintptr_t)(arena_address(&heap, 1) + 7 * MB) = 1;
	assert_int_equal(cape_heap_reach(&heap, arena_address(&heap, 2) - 1, 2), -ENOMEM);
	release_heap();
}

/* The bytes that RLIMIT_DATA is about. */
static uint64_t data_size(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	unsigned long kilobytes = 0;
	char line[200];

	assert_non_null(status);
	while (fgets(line, sizeof line, status))
		if (sscanf(line, "VmData: %lu", &kilobytes) == 1)
			break;
	fclose(status);
	assert_true(kilobytes > 0);
	return (uint64_t)kilobytes << 10;
}

/* With the system's memory limited, running out is an error and no more. */
static void test_limited_memory(void **state)
{
	struct rlimit old, limited;
	size_t count = 0;
	void *block;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_DATA, &old), 0);
	assert_int_equal(cape_heap_start(&heap, 0, 1), 0);
	limited = old;
	limited.rlim_cur = data_size() + 256 * MB;
	assert_int_equal(setrlimit(RLIMIT_DATA, &limited), 0);
	while (count < 10000 && cape_heap_allocate(&heap, MB, 16))
		count++;
	assert_int_equal(errno, ENOMEM);
	assert_in_range(count, 100, 256);
	assert_null(cape_heap_allocate_zeroed(&heap, MB));
	assert_int_equal(setrlimit(RLIMIT_DATA, &old), 0);
	block = cape_heap_allocate(&heap, MB, 16);
	assert_non_null(block);
	assert_int_equal(cape_heap_release(&heap, block), 0);
	release_heap();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_limited_memory),
		cmocka_unit_test(test_parallel_code_keeps_to_its_arena),
		cmocka_unit_test(test_double_foreign_free),
		cmocka_unit_test(test_nodes_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
