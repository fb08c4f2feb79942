// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * outside.c - memory that nodes share besides CAPE, by system calls that libcape does not see.
 */
#include "outside.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "memory/directory.h"

#define PLACE 0x100000000000ul

static long raw(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result = number;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

struct outside *outside_map(const char *name)
{
	long file = raw(SYS_openat, AT_FDCWD, (long)name, O_RDWR, 0, 0, 0), at;

	if (file < 0)
		return NULL;
	at = raw(SYS_mmap, PLACE, sizeof(struct outside), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
	raw(SYS_close, file, 0, 0, 0, 0, 0);
	return at == PLACE ? (struct outside *)PLACE : NULL;
}

void outside_await(uint32_t *word, uint32_t seen)
{
	for (int i = 0; i < 200; i++) {
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != seen)
			return;
		__builtin_ia32_pause();
	}
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == seen)
		raw(SYS_futex, (long)word, FUTEX_WAIT, seen, 0, 0, 0);
}

void outside_wake(uint32_t *word)
{
	raw(SYS_futex, (long)word, FUTEX_WAKE, INT_MAX, 0, 0, 0);
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
