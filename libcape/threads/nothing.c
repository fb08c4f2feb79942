// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * nothing.c - calls about memory of nodes, which threads share anyhow.
 */
#include "openmp/constructs.h"

void cape_thread_untouched(void)
{
}

void cape_thread_touch(void)
{
}

void cape_thread_touch_read(unsigned long address, unsigned long size)
{
	(void)address, (void)size;
}

void cape_thread_set_shared_at(const volatile void *variable, unsigned long size, const char *name)
{
	(void)variable, (void)size, (void)name;
}

void cape_thread_set_reaching_at(const volatile void *pointer, const char *name)
{
	(void)pointer, (void)name;
}

void cape_thread_set_copyin_at(volatile void *variable, unsigned long size)
{
	(void)variable, (void)size;
}
