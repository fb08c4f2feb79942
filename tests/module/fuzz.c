/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz.c - random requests to the driver, from a fixed seed, on a process that runs, stops, forks,
 * maps and dies.
 *
 * Usage: fuzz SECONDS [SEED].  What the driver answers does not matter; that the kernel and the
 * driver live on does, and that a lock still captures at the end.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "module.h"

#define PAGES 256

static unsigned char *memory;
static uint64_t state;

static uint64_t random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t below(uint64_t limit)
{
	return random_number() % limit;
}

/* Values near those that mean something. */
static uint64_t value(void)
{
	switch (below(10)) {
	case 0:
		return 0;
	case 1:
		return below(4);
	case 2:
		return below(100000);
	case 3:
		return UINT64_MAX - below(3) * PAGE;
	case 4:
		return random_number();
	case 5:
		return 1ull << below(64);
	default:
		return (uintptr_t)memory + below(PAGES + 8) * PAGE + (below(8) ? 0 : below(PAGE));
	}
}

/* Changes its memory in every way, for ever. */
static void live(void *argument)
{
	(void)argument;
	for (;;) {
		unsigned char *at = memory + below(PAGES) * PAGE;

		switch (below(12)) {
		case 0:
			madvise(at, PAGE, MADV_DONTNEED);
			break;
		case 1:
			mmap(at, PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
			break;
		case 2:
			if (below(20) == 0 && fork() == 0)
				_exit(0);
			break;
		case 3:
			waitpid(-1, NULL, WNOHANG);
			break;
		default:
			*(volatile unsigned char *)at = (unsigned char)random_number();
		}
	}
}

static void random_request(int device, int descriptor)
{
	static const unsigned long number[] = {
		CAPE_GET_VERSION, CAPE_ATTACH,	     CAPE_LOCK,		  CAPE_UNLOCK,
		CAPE_UNLOCK_PAGE, CAPE_CAPTURE_PAGE, CAPE_COLLECT,	  CAPE_READ_RANGE,
		CAPE_WRITE_RANGE, CAPE_GET_STATUS,   CAPE_GET_STATISTICS,
	};
	static uint64_t buffer[4 * PAGE];
	union {
		uint64_t field[32];
		struct cape_lock lock;
		struct cape_collect collect;
	} argument;
	unsigned long which = number[below(sizeof(number) / sizeof(number[0]))];
	int made;

	for (size_t i = 0; i < 32; i++)
		argument.field[i] = below(3) ? value() : (uintptr_t)(buffer + below(PAGE));
	if (which == CAPE_LOCK && below(2))
		argument.lock = (struct cape_lock){.mode = (uint32_t)below(3)};
	if (which == CAPE_COLLECT && below(2))
		argument.collect = (struct cape_collect){
			.pages = (uintptr_t)buffer,
			.page_capacity = (uint32_t)below(64),
			.flags = (uint32_t)below(2),
		};
	if (below(50) == 0)
		which ^= 1ul << below(32);
	made = ioctl(below(10) ? descriptor : device, which,
		     which == CAPE_UNLOCK && below(4) ? NULL : &argument);
	if (made > descriptor)
		close(made);
}

/* What happened to the process; it is let go on, or stopped. */
static void attend(pid_t child)
{
	int status;
	pid_t thread;

	while ((thread = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
		if (WIFSTOPPED(status))
			ptrace(PTRACE_CONT, thread, NULL, NULL);
	if (below(30) == 0)
		kill(child, SIGSTOP);
}

static uint64_t round_of_requests(int device, uint64_t count)
{
	pid_t child = spawn(live, NULL);
	int descriptor = attach(device, child);

	if (descriptor < 0)
		return 0;
	ptrace(PTRACE_CONT, child, NULL, NULL);
	for (uint64_t i = 0; i < count; i++) {
		random_request(device, descriptor);
		attend(child);
		if (below(5000) == 0)
			kill(child, SIGKILL);
	}
	if (below(2))
		close(descriptor);
	else
		descriptor = -descriptor;
	reap(child);
	if (descriptor < 0)
		close(-descriptor);
	return count;
}

static void write_two(void *argument)
{
	(void)argument;
	memory[0] = memory[5 * PAGE] = 1;
}

static void test_still_right(int device)
{
	static struct collected collected;
	static struct notices notices;
	pid_t child = spawn(write_two, NULL);
	int descriptor = attach(device, child);

	check(descriptor >= 0, "a process can still be attached to");
	check(lock(descriptor, CAPE_MODE_NOTIFY, NULL, 0) == 0 &&
		      run_child(child, -1, false, &notices) &&
		      collect(descriptor, 100, true, 0, &collected) &&
		      collected_within(&collected, memory, PAGES * PAGE) == 2,
	      "the driver still captures what is written");
	close(descriptor);
	reap(child);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 30);
	int device = open_device();
	uint64_t done = 0;

	state = argc > 2 ? strtoull(argv[2], NULL, 0) | 1 : 20181130;
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	while (time(NULL) < end)
		done += round_of_requests(device, 2000);
	check(done > 0, "%llu random requests", (unsigned long long)done);
	test_still_right(device);
	return finish();
}
