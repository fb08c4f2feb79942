// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * outside.c - memory that nodes share besides CAPE, by libcape's own ways to the kernel, which it
 * does not look at.
 */
#include "outside.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include "channel/futex.h"
#include "memory/directory.h"
#include "system/libc.h"

#define PLACE 0x100000000000ul

struct outside *outside_map(const char *name)
{
	int file = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR);
	void *at;

	if (file < 0)
		return NULL;
	at = mmap((void *)PLACE, sizeof(struct outside), PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
	syscall(SYS_close, file);
	return at == (void *)PLACE ? at : NULL;
}

void outside_await(uint32_t *word, uint32_t seen)
{
	for (int i = 0; i < 200; i++) {
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != seen)
			return;
		__builtin_ia32_pause();
	}
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == seen)
		cape_futex_wait(word, seen, NULL);
}

void outside_wake(uint32_t *word)
{
	cape_futex_wake_all(word);
}

unsigned outside_state(const void *page)
{
	uint64_t address = (uint64_t)page;
	const struct cape_area *area = cape_areas_find(cape_runtime->areas, address, 1);

	if (!area || !cape_directory_page(area, address))
		return CAPE_PAGE_COMMON;
	return cape_directory_state(cape_runtime, area, address);
}

const char *outside_event(uint32_t event, char *text)
{
	static const char *const of_a_page[] = {"reads", "writes its own of", "writes many of",
						"writes with the lock to"};

	if (event < FLUSH)
		sprintf(text, "node %u %s page %u", event / OF_A_PAGE / PAGES,
			of_a_page[event % OF_A_PAGE], event / OF_A_PAGE % PAGES);
	else if (event < BARRIER)
		sprintf(text, "node %u flushes", event - FLUSH);
	else if (event < END)
		sprintf(text, "barrier %u", event - BARRIER);
	else if (event == END)
		sprintf(text, "the region ends");
	else if (event < SEQUENTIAL_WRITE)
		sprintf(text, "sequential code reads page %u", event - SEQUENTIAL_READ);
	else
		sprintf(text, "sequential code writes to page %u", event - SEQUENTIAL_WRITE);
	return text;
}
