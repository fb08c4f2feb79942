// SPDX-License-Identifier: GPL-2.0-or-later
/* blocks.c - lists of the run time's own memory, which several threads of a node grow at a time. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/private.c"

#define THREADS 4
#define LISTS	40
#define ROUNDS	60

static struct cape_private private;
static struct cape_private_blocks blocks;

/* Grows lists of its own, whose entries say whose they are; how many were not right. */
static void *grow(void *argument)
{
	uintptr_t self = (uintptr_t)argument, wrong = 0;
	uintptr_t *list[LISTS] = {0};
	size_t room[LISTS] = {0};

	for (size_t count = 1; count < ROUNDS; count++)
		for (size_t i = 0; i < LISTS; i++) {
			size_t entries = count * (i + 1);

			if (cape_memory_grow(&blocks.memory, (void **)&list[i], &room[i], entries,
					     sizeof(**list)) < 0)
				return (void *)1;
			for (size_t j = 0; j < entries; j++) {
				wrong += j < entries - (i + 1) && list[i][j] != self;
				list[i][j] = self;
			}
		}
	return (void *)wrong;
}

static void test_threads(void **state)
{
	pthread_t thread[THREADS];
	void *wrong;

	(void)state;
	cape_private_start(&private);
	cape_private_blocks_init(&blocks, &private);
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, grow, (void *)(i + 1)), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], &wrong), 0);
		assert_null(wrong);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
