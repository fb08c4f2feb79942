// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loop.c - the monitor's loop: who is called when, and that nobody is in the middle of itself.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <sys/eventfd.h>

#include "common/clock.c"
#include "base/loop.c"

/* One that watches, and counts how often it was called. */
struct part {
	struct watcher watcher;
	struct loop *loop;
	unsigned looks, readies;
	unsigned deep;	 /* it is being called */
	unsigned *order; /* counts all looks */
	unsigned looked; /* as which of them it was called last */
	bool moves;
	uint64_t slept; /* nanoseconds, in its last wait */
	int descriptor;
};

static bool look(void *context)
{
	struct part *part = context;

	assert_int_equal(part->deep++, 0);
	part->looks++;
	part->looked = ++*part->order;
	part->deep--;
	return part->moves;
}

static void ready(void *context)
{
	struct part *part = context;
	uint64_t count;

	assert_int_equal(part->deep++, 0);
	part->readies++;
	assert_int_equal(read(part->descriptor, &count, sizeof(count)), sizeof(count));
	part->deep--;
}

/* Does what no watcher may: waits in the loop. */
static bool look_and_wait(void *context)
{
	struct part *part = context;
	struct patience patience = {0};

	assert_int_equal(part->deep++, 0);
	part->looks++;
	while (patience.passes < POLL_PASSES + 100)
		loop_pause(part->loop, &patience);
	patience.passes = 10 * POLL_PASSES;
	part->slept = clock_now();
	loop_pause(part->loop, &patience);
	part->slept = clock_now() - part->slept;
	loop_turn(part->loop, false);
	loop_look(part->loop);
	part->deep--;
	return false;
}

static struct part *open_part(struct loop *loop, unsigned *order)
{
	struct part *part = test_calloc(1, sizeof(*part));

	part->watcher = (struct watcher){.look = look, .ready = ready, .context = part};
	part->loop = loop;
	part->order = order;
	part->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_true(part->descriptor >= 0);
	loop_add(loop, &part->watcher);
	return part;
}

static void close_part(struct part *part)
{
	close(part->descriptor);
	test_free(part);
}

static void ring(const struct part *part)
{
	uint64_t one = 1;

	assert_int_equal(write(part->descriptor, &one, sizeof(one)), sizeof(one));
}

static void all_look_in_their_order(void **state)
{
	unsigned order = 0;
	struct loop loop;
	struct part *part[3];

	(void)state;
	assert_int_equal(loop_start(&loop), 0);
	for (int i = 0; i < 3; i++)
		part[i] = open_part(&loop, &order);
	assert_false(loop_look(&loop));
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(part[i]->looked, i + 1);
	part[1]->moves = true;
	assert_true(loop_look(&loop));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(part[i]->looks, 2);
		close_part(part[i]);
	}
	loop_stop(&loop);
}

static void a_descriptor_calls_its_own(void **state)
{
	unsigned order = 0;
	struct loop loop;
	struct part *one, *other;

	(void)state;
	assert_int_equal(loop_start(&loop), 0);
	one = open_part(&loop, &order);
	other = open_part(&loop, &order);
	assert_int_equal(loop_watch(&loop, &one->watcher, one->descriptor, EPOLLIN), 0);
	assert_int_equal(loop_watch(&loop, &other->watcher, other->descriptor, EPOLLIN), 0);
	loop_look(&loop);
	ring(one);
	loop_turn(&loop, true);
	assert_int_equal(one->readies, 1);
	assert_int_equal(other->readies, 0);
	assert_int_equal(order, 2);
	/* Without a call of its own, all look. */
	other->watcher.ready = NULL;
	ring(other);
	loop_turn(&loop, true);
	assert_int_equal(one->looks, 2);
	assert_int_equal(other->looks, 2);
	/* Nobody is interested any more. */
	assert_int_equal(loop_watch(&loop, &other->watcher, other->descriptor, 0), 0);
	loop_turn(&loop, false);
	assert_int_equal(order, 4);
	assert_int_equal(loop_watch(&loop, &one->watcher, -1, EPOLLIN), -EBADF);
	close_part(one);
	close_part(other);
	loop_stop(&loop);
}

static void nobody_is_called_in_the_middle(void **state)
{
	unsigned order = 0;
	struct loop loop;
	struct part *waits, *other;

	(void)state;
	assert_int_equal(loop_start(&loop), 0);
	waits = open_part(&loop, &order);
	other = open_part(&loop, &order);
	waits->watcher.look = look_and_wait;
	assert_int_equal(loop_watch(&loop, &other->watcher, other->descriptor, EPOLLIN), 0);
	ring(other);
	loop_look(&loop);
	assert_int_equal(waits->looks, 1);
	assert_int_equal(other->looks, 1);
	assert_int_equal(other->readies, 0);
	/* A wait is one even then. */
	assert_true(waits->slept >= LONGEST_NAP / 2);
	/* What came meanwhile is not lost. */
	loop_turn(&loop, false);
	assert_int_equal(other->readies, 1);
	close_part(waits);
	close_part(other);
	loop_stop(&loop);
}

static void a_wait_serves_and_ends(void **state)
{
	struct patience patience = {0};
	unsigned order = 0;
	struct loop loop;
	struct part *part;
	uint64_t began;

	(void)state;
	assert_int_equal(loop_start(&loop), 0);
	part = open_part(&loop, &order);
	assert_int_equal(loop_watch(&loop, &part->watcher, part->descriptor, EPOLLIN), 0);
	ring(part);
	for (int i = 0; i < SERVE_EVERY; i++)
		assert_int_equal(loop_pause(&loop, &patience), 0);
	assert_int_equal(part->readies, 1);
	while (patience.passes < LOOK_EVERY)
		assert_int_equal(loop_pause(&loop, &patience), 0);
	assert_int_equal(part->looks, 1);
	/* It sleeps in the end, and looks each time; what comes wakes it. */
	patience.passes = 10 * POLL_PASSES;
	began = clock_now();
	assert_int_equal(loop_pause(&loop, &patience), 0);
	assert_true(clock_now() - began >= LONGEST_NAP / 2);
	assert_int_equal(part->looks, 2);
	ring(part);
	loop_pause(&loop, &patience);
	assert_int_equal(part->readies, 2);
	loop.cancelled = true;
	patience = (struct patience){0};
	assert_int_equal(loop_pause(&loop, &patience), -ECANCELED);
	close_part(part);
	loop_stop(&loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_look_in_their_order),
		cmocka_unit_test(a_descriptor_calls_its_own),
		cmocka_unit_test(nobody_is_called_in_the_middle),
		cmocka_unit_test(a_wait_serves_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
