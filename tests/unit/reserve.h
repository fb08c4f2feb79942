/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reserve.h - room for what the run time reserves, as far as it is used.
 */
#ifndef CAPE_TEST_UNIT_RESERVE_H
#define CAPE_TEST_UNIT_RESERVE_H

#include <sys/mman.h>
#include "base/context.h"

static void *reserve(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

void *cape_must_reserve(struct cape_runtime *runtime, size_t size)
{
	(void)runtime;
	return reserve(size);
}

#endif
