/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nested.c - no test: a process that, once a file is there, writes to a variable from a function
 * that the C library calls for one that main() calls, none of which keeps frame pointers.  Then it
 * makes another file, and stays.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define PAGE 4096u

static volatile char target[3 * PAGE] __attribute__((aligned(PAGE)));

/* What a frame pointer would be in leads nowhere. */
static __attribute__((noinline, noclone)) int innermost(const void *one, const void *other)
{
	__asm__ volatile("xor %%ebp, %%ebp\n\t"
			 "movb $1, %0"
			 : "=m"(target[PAGE])
			 :
			 : "rbp", "memory");
	return *(const int *)one - *(const int *)other;
}

static __attribute__((noinline, noclone)) int middle(int first)
{
	int pair[2] = {first, 1};

	qsort(pair, 2, sizeof(pair[0]), innermost);
	return pair[0] + 1;
}

static __attribute__((noinline, noclone)) int outer(int first)
{
	return middle(first + 1) * 2;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 1;
	while (access(argv[1], F_OK) != 0)
		usleep(20000);
	if (outer(argc) != 4 || creat(argv[2], 0600) < 0)
		return 1;
	for (;;)
		pause();
}
