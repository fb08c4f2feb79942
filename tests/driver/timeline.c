/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.c - random epochs, drops and rollbacks of a process that does at random what it can with
 * its memory: after each the driver has of every epoch what copies have that the test kept.
 *
 * Argument: the seed (1); two are tried from there on, LONG=1: four.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "area.h"

#define KEPT  12 /* epochs at a time */
#define STEPS 600

static struct copy copies[KEPT], present, before;
static struct notices notices;

static uint64_t next(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ull;
	uint64_t mixed = *state;

	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ull;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebull;
	return mixed ^ (mixed >> 31);
}

static size_t below(size_t limit)
{
	return (size_t)(next(&shared->random) % limit);
}

static void map_over(size_t page, size_t count, enum kind kind)
{
	int flags = MAP_PRIVATE | MAP_FIXED | (kind == OF_FILE ? 0 : MAP_ANONYMOUS);

	if (kind == NOTHING)
		munmap(area + page * PAGE, count * PAGE);
	else
		mmap(area + page * PAGE, count * PAGE, PROT_READ | PROT_WRITE, flags,
		     kind == OF_FILE ? area_file : -1, kind == OF_FILE ? (off_t)(page * PAGE) : 0);
	memset(shared->kind + page, (int)kind, count);
}

static void write_some(size_t page, size_t count)
{
	for (size_t i = page; i < page + count; i++)
		if (shared->kind[i] != NOTHING)
			memset(area + i * PAGE + below(PAGE - 8), (int)below(256), 8);
}

/* The page that was there goes to where another was, and nothing is left in its place. */
static void move(size_t from, size_t to)
{
	if (from == to || shared->kind[from] != ANONYMOUS)
		return;
	mremap(area + from * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, area + to * PAGE);
	shared->kind[to] = ANONYMOUS;
	map_over(from, 1, below(16) ? ANONYMOUS : NOTHING);
}

static void have_child_write(size_t page, size_t count)
{
	pid_t other = fork();

	if (other == 0) {
		write_some(page, count);
		_exit(0);
	}
	if (below(2))
		write_some(page, count);
	waitpid(other, NULL, 0);
}

static void act(void)
{
	size_t page = below(PAGES), count = 1 + below(PAGES - page < 9 ? PAGES - page : 9);

	switch (below(16)) {
	case 0: /* as it was, but new */
		map_over(page, 1, shared->kind[page]);
		break;
	case 1:
		if (below(4) == 0)
			map_over(page, count, below(2) ? OF_FILE : ANONYMOUS);
		break;
	case 2:
		if (below(16) == 0)
			map_over(page, 1, NOTHING);
		break;
	case 3:
		madvise(area + page * PAGE, count * PAGE, MADV_DONTNEED);
		break;
	case 4:
		move(page, below(PAGES));
		break;
	case 5:
	case 6:
		have_child_write(page, count);
		break;
	case 7:
		madvise(area + page * PAGE, count * PAGE, MADV_PAGEOUT);
		break;
	case 8:
		for (size_t i = page; i < page + count; i++)
			if (shared->kind[i] != NOTHING)
				*(volatile unsigned char *)(area + i * PAGE);
		break;
	default:
		write_some(page, count);
	}
}

static void act_for_ever(void *unused)
{
	(void)unused;
	for (;;) {
		for (size_t i = 1 + below(3); i > 0; i--)
			act();
		pause_here();
	}
}

static void start(void)
{
	child = spawn(own_area, act_for_ever, NULL);
	descriptor = attach(device, child);
}

/* copies[] is the model. */

static int count_copies(void)
{
	int count = 0;

	for (int i = 0; i < KEPT; i++)
		count += copies[i].epoch != 0;
	return count;
}

static struct copy *any_copy(void)
{
	struct copy *copy;

	do
		copy = &copies[below(KEPT)];
	while (!copy->epoch);
	return copy;
}

static struct copy *free_copy(void)
{
	for (int i = 0; i < KEPT; i++)
		if (!copies[i].epoch)
			return &copies[i];
	return NULL;
}

static uint64_t newest_epoch(void)
{
	uint64_t newest = 0;

	for (int i = 0; i < KEPT; i++)
		newest = copies[i].epoch > newest ? copies[i].epoch : newest;
	return newest;
}

/* What was not there then has what a new mapping has. */
static bool is_new(const struct copy *now, size_t page)
{
	unsigned char byte = now->kind[page] == OF_FILE ? (unsigned char)('a' + page % 26) : 0;

	for (size_t i = 0; i < PAGE; i++)
		if (now->bytes[page][i] != byte)
			return false;
	return true;
}

static bool can_go_back(const struct copy *copy)
{
	for (size_t i = 0; i < PAGES; i++)
		if (copy->kind[i] != NOTHING && copy->kind[i] != shared->kind[i])
			return false;
	return true;
}

/* Rolls back to an epoch of the model; returns whether that is right, or refused for a reason. */
static bool go_back(const struct copy *copy, unsigned *refused)
{
	int result;

	take_copy(&before, 1);
	result = rollback_to(copy->epoch);
	if (result < 0) {
		bool right = errno == ESTALE && !can_go_back(copy);

		++*refused;
		take_copy(&present, 1);
		return right && memcmp(&present, &before, sizeof(before)) == 0;
	}
	take_copy(&present, 1);
	for (size_t i = 0; i < PAGES; i++)
		if (copy->kind[i] == NOTHING ? present.kind[i] != NOTHING && !is_new(&present, i)
					     : memcmp(present.bytes[i], copy->bytes[i], PAGE) != 0)
			return false;
	for (int i = 0; i < KEPT; i++)
		if (copies[i].epoch > copy->epoch)
			copies[i].epoch = 0;
	return can_go_back(copy);
}

static bool all_right(void)
{
	for (int i = 0; i < KEPT; i++) {
		size_t wrong = copies[i].epoch ? wrong_pages(&copies[i]) : 0;

		if (wrong) {
			printf("# epoch %lu: %zu pages are wrong\n", (unsigned long)copies[i].epoch,
			       wrong);
			return false;
		}
	}
	return true;
}

struct tally {
	unsigned epochs, dropped, rollbacks, refused, differences;
};

/* One thing of the test's; false if the driver was wrong. */
static bool do_any(struct tally *tally)
{
	struct copy *copy;
	int64_t epoch;

	switch (below(6)) {
	case 0:
	case 1:
		copy = free_copy();
		if (!copy)
			return true;
		epoch = begin_epoch();
		if (epoch <= (int64_t)newest_epoch())
			return false;
		take_copy(copy, (uint64_t)epoch);
		tally->epochs++;
		return true;
	case 2:
		if (count_copies() < 2)
			return true;
		copy = any_copy();
		if (about_epoch(CAPE_DROP_EPOCH, copy->epoch) < 0)
			return false;
		copy->epoch = 0;
		tally->dropped++;
		return true;
	case 3:
		if (below(2))
			return true;
		tally->rollbacks++;
		/* To one that can be gone back to, if there is such a one: most cannot. */
		copy = any_copy();
		for (int i = 0; i < 4 * KEPT && below(8) && !can_go_back(copy); i++)
			copy = any_copy();
		return go_back(copy, &tally->refused);
	case 4:
		copy = any_copy();
		tally->differences++;
		for (int i = 0; i < KEPT; i++)
			if (copies[i].epoch > copy->epoch &&
			    untold_pages(copy, &copies[i], 1 + (uint32_t)below(PAGES)) > 0)
				return false;
		return true;
	default:
		return true;
	}
}

static void test_at_random(uint64_t seed)
{
	struct tally tally = {0};
	bool right = true;
	uint64_t at_first;
	int step = 0;

	shared->random = seed;
	memset(copies, 0, sizeof(copies));
	start();
	right = lock_area(CAPE_MODE_SNAPSHOT) == 0;
	at_first = twins();
	take_copy(&copies[0], 1);
	for (; right && step < STEPS; step++) {
		right = run_child(child, -1, false, &notices) && do_any(&tally);
		if (right && step % 4 == 0)
			right = all_right();
	}
	check(right && all_right(),
	      "seed %lu: %d steps, %u epochs, %u dropped, %u rollbacks of which %u are refused, "
	      "%u comparisons",
	      (unsigned long)seed, step, tally.epochs, tally.dropped, tally.rollbacks,
	      tally.refused, tally.differences);
	while (count_copies() > 1 && right) {
		struct copy *copy = any_copy();

		right = about_epoch(CAPE_DROP_EPOCH, copy->epoch) == 0;
		copy->epoch = 0;
	}
	check(right && twins() <= PAGES && at_first <= PAGES && all_right(),
	      "seed %lu: when one epoch is left, there is at most one twin for each page (%lu)",
	      (unsigned long)seed, (unsigned long)twins());
	stop_child();
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	const char *why = start_swap();

	if (why)
		printf("# without swap: %s\n", why);
	device = open_device();
	make_area();
	for (uint64_t i = 0; i < (is_long() ? 4 : 2); i++)
		test_at_random(seed + i);
	return finish();
}
