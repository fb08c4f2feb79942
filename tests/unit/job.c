// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * job.c - the parts of a construct's work: each iteration is somebody's, whoever has the first
 * ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/job.c"

static const unsigned long counts[] = {0, 1, 2, 7, 31, 511, 513, 40000, 400001, 3000000};

/* The one piece of WORKER, from LEFT to RIGHT; none: both are 0. */
static void one_piece(const struct cape_work *work, unsigned long worker, unsigned long workers,
		      unsigned long *left, unsigned long *right)
{
	struct cape_job job = cape_job_make(work, worker, workers);

	if (!cape_job_next(&job, left, right))
		*left = *right = 0;
	assert_false(cape_job_next(&job, &(unsigned long){0}, &(unsigned long){0}));
}

static void test_blocks_are_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		for (unsigned long workers = 1; workers < 9; workers++) {
			struct cape_work work = {.first = 5, .last = 5 + counts[i]};
			unsigned long at = work.first;

			for (unsigned long worker = 0; worker < workers; worker++) {
				unsigned long left, right;

				one_piece(&work, worker, workers, &left, &right);
				if (left == right)
					continue;
				assert_int_equal(left, at);
				at = right;
			}
			assert_int_equal(at, work.last);
		}
}

/* Who has element N in a loop that counts up has it in one that counts down. */
static void test_blocks_from_the_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		for (unsigned long workers = 1; workers < 9; workers++)
			for (unsigned long worker = 0; worker < workers; worker++) {
				struct cape_work up = {.first = 3, .last = 3 + counts[i]};
				struct cape_work down = up;
				unsigned long from, to, left, right;

				down.from_end = true;
				one_piece(&up, worker, workers, &from, &to);
				one_piece(&down, worker, workers, &left, &right);
				if (from < to) {
					assert_int_equal(left, up.first + up.last - to);
					assert_int_equal(right, up.first + up.last - from);
				} else {
					assert_int_equal(left, right);
				}
			}
}

static void test_chunks_stay(void **state)
{
	struct cape_work work = {.last = 10, .chunk = 3, .from_end = true};
	struct cape_job job = cape_job_make(&work, 1, 2);
	unsigned long left, right;

	(void)state;
	assert_true(cape_job_next(&job, &left, &right));
	assert_int_equal(left, 3);
	assert_int_equal(right, 6);
	assert_true(cape_job_next(&job, &left, &right));
	assert_int_equal(left, 9);
	assert_int_equal(right, 10);
	assert_false(cape_job_next(&job, &left, &right));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks_are_all),
		cmocka_unit_test(test_blocks_from_the_end),
		cmocka_unit_test(test_chunks_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
