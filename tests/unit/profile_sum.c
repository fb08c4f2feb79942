// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile_sum.c - what nodes counted, added up: constructs that nodes met in other orders, memory
 * by name and by address, the most and the mean, and the order of it all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "common/list.c"
#include "profile/sum.c"

static struct cape_profile_construct at(const char *file, int line, uint64_t work, uint64_t wait)
{
	struct cape_profile_construct construct = {
		.line = line,
		.sync_points = 3,
		.time = {[CAPE_PHASE_WORK] = work, [CAPE_PHASE_WAIT] = wait},
		.sent_bytes = 100,
	};

	strcpy(construct.file, file);
	strcpy(construct.what, line ? "for" : "outside");
	return construct;
}

static struct cape_profile_object object(uint32_t construct, const char *name, uint64_t start,
					 uint64_t fetched)
{
	struct cape_profile_object made = {
		.construct = construct,
		.memory = CAPE_MEMORY_HEAP,
		.start = start,
		.bytes = {[CAPE_TRAFFIC_FETCHED] = fetched},
	};

	strcpy(made.name, name);
	return made;
}

static void add(struct sum *sum, int node, uint64_t which, struct cape_profile_construct construct)
{
	assert_int_equal(sum_construct(sum, node, which, &construct), 0);
}

static void add_object(struct sum *sum, int node, struct cape_profile_object object)
{
	assert_int_equal(sum_object(sum, node, &object), 0);
}

static void constructs_are_found_by_place(void **state)
{
	static const uint64_t count[] = {3, 3};
	struct sum sum;

	(void)state;
	assert_int_equal(sum_start(&sum, 2, count), 0);
	add(&sum, 0, 0, at("", 0, 1, 0));
	add(&sum, 0, 1, at("a.c", 5, 10, 1));
	add(&sum, 0, 2, at("b.c", 5, 20, 2));
	add(&sum, 1, 0, at("", 0, 2, 0));
	add(&sum, 1, 1, at("b.c", 5, 50, 0));
	add(&sum, 1, 2, at("a.c", 6, 5, 0));
	assert_int_equal(sum.count, 4);
	sum_sort(&sum);
	assert_int_equal(sum.construct[0].construct.line, 0);
	assert_string_equal(sum.construct[1].construct.file, "b.c");
	assert_int_equal(sum.construct[1].time[CAPE_PHASE_WORK].most, 50);
	assert_int_equal(sum.construct[1].time[CAPE_PHASE_WORK].node, 1);
	assert_int_equal(sum.construct[1].time[CAPE_PHASE_WORK].all, 70);
	assert_int_equal(sum.construct[1].total.all, 72);
	assert_int_equal(sum.construct[1].sync_points, 3);
	assert_int_equal(sum.construct[1].construct.sent_bytes, 200);
	assert_int_equal(sum.construct[2].construct.line, 5);
	assert_int_equal(sum.construct[3].construct.line, 6);
	sum_free(&sum);
}

static void memory_is_found_by_name_or_address(void **state)
{
	static const uint64_t count[] = {2, 2};
	const struct sum_object *first;
	struct sum sum;

	(void)state;
	assert_int_equal(sum_start(&sum, 2, count), 0);
	for (int node = 0; node < 2; node++) {
		add(&sum, node, 0, at("", 0, 0, 0));
		add(&sum, node, 1, at("a.c", 1, 1, 1));
	}
	add_object(&sum, 0, object(1, "", 4096, 10));
	add_object(&sum, 0, object(1, "p", 8192, 100));
	add_object(&sum, 1, object(1, "p", 16384, 200));
	add_object(&sum, 1, object(1, "", 20480, 40));
	/* What a damaged program says of a construct that is not there is left out. */
	add_object(&sum, 1, object(77, "q", 0, 1));
	sum_sort(&sum);
	first = sum.construct[1].objects;
	assert_string_equal(first->object.name, "p");
	assert_int_equal(first->object.bytes[CAPE_TRAFFIC_FETCHED], 300);
	assert_int_equal(first->who[CAPE_TRAFFIC_FETCHED].count, 2);
	assert_int_equal(first->next->object.bytes[CAPE_TRAFFIC_FETCHED], 40);
	assert_true(sum_has(&first->next->who[CAPE_TRAFFIC_FETCHED], 1));
	assert_false(sum_has(&first->next->who[CAPE_TRAFFIC_FETCHED], 0));
	assert_int_equal(first->next->next->object.bytes[CAPE_TRAFFIC_FETCHED], 10);
	assert_null(first->next->next->next);
	sum_free(&sum);
}

/* The last exchange: what it took longer here than on the node that came last was waiting. */
static void waiting_is_told_from_the_exchange(void **state)
{
	static struct cape_profile profile;
	uint64_t *time = profile.construct[1].time;

	(void)state;
	profile.exchange_construct = 1;
	time[CAPE_PHASE_EXCHANGE] = 100;
	profile.exchange_took = 90;
	cape_profile_settle(&profile, 20);
	assert_int_equal(time[CAPE_PHASE_WAIT], 70);
	assert_int_equal(time[CAPE_PHASE_EXCHANGE], 30);
	cape_profile_settle(&profile, 5);
	assert_int_equal(time[CAPE_PHASE_WAIT], 70);
	profile.exchange_took = 90;
	cape_profile_settle(&profile, 0);
	assert_int_equal(time[CAPE_PHASE_WAIT], 70);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constructs_are_found_by_place),
		cmocka_unit_test(memory_is_found_by_name_or_address),
		cmocka_unit_test(waiting_is_told_from_the_exchange),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
