/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.c - the attach descriptor as a sparse file of the memory of then: read(2) and lseek(2),
 * while the process writes, unmaps, and calls execve.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define VAST	(16ul << 40)
#define TOUCHED 5
#define RING	64
#define LAYOUT	16

/* Pages of the vast mapping that exist: side by side, alone, the first and the last. */
static const size_t touched[TOUCHED] = {0, 5 * 512 + 511, 5 * 512 + 512, 1ul << 31,
					VAST / PAGE - 1};
static unsigned char *vast, *layout, *huge;
static volatile uint64_t *ring; /* one number on each page, written in turn */
static volatile bool *went_round;

static void touch_vast(void)
{
	vast = mmap(vast, VAST, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	madvise(vast, VAST, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < TOUCHED; i++)
		memset(vast + touched[i] * PAGE, 't', PAGE);
}

/* Page 1: a guard with bytes; 3: never touched; 5: nothing; 7, 8: a file; 9: the last, shared. */
static void make_layout(void)
{
	int file = make_file();

	memset(layout, 'a', 3 * PAGE);
	memset(layout + 4 * PAGE, 'b', PAGE);
	mprotect(layout + PAGE, PAGE, PROT_NONE);
	munmap(layout + 5 * PAGE, PAGE);
	mmap(layout + 7 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
	layout[7 * PAGE] = 'F';
	mmap(layout + 9 * PAGE, PAGE, PROT_READ | PROT_WRITE,
	     MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	layout[9 * PAGE] = 's';
	munmap(layout + 10 * PAGE, (LAYOUT - 10) * PAGE);
	close(file);
}

static void prepare(void)
{
	touch_vast();
	make_layout();
	memset(huge, 'h', 2ul << 20);
	ring = mmap((void *)ring, RING * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* Goes round until it is interrupted, then takes everything away. */
static void body(void *unused)
{
	(void)unused;
	for (uint64_t round = 1; round < 3 || !*went_round; round++)
		for (size_t i = 0; i < RING; i++)
			ring[i * PAGE / sizeof(*ring)] = round;
	for (size_t i = 0; i < TOUCHED; i++)
		vast[touched[i] * PAGE] = 'u';
	vast[1000 * PAGE] = 'n';
	memset(layout, 'z', PAGE);
	mprotect(layout + PAGE, PAGE, PROT_READ | PROT_WRITE);
	memset(layout + PAGE, 'z', PAGE);
	munmap(layout + 2 * PAGE, 2 * PAGE);
	memset(layout + 7 * PAGE, 'z', 2 * PAGE);
	huge[PAGE] = 'z';
	munmap(huge + (1ul << 20), 1ul << 20);
	pause_here();
	execl("/bin/sleep", "sleep", "1000", (char *)NULL);
}

static bool all(const unsigned char *bytes, int value, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

static bool reads(int descriptor, const unsigned char *address, int value, size_t length)
{
	static unsigned char bytes[4 * PAGE];

	memset(bytes, 0xee, sizeof(bytes));
	return pread(descriptor, bytes, length, (off_t)(uintptr_t)address) == (ssize_t)length &&
	       all(bytes, value, length) && (length == sizeof(bytes) || bytes[length] == 0xee);
}

/* Lets the child run, and stops it wherever it is. */
static void run_for_a_while(pid_t child)
{
	ptrace(PTRACE_CONT, child, NULL, NULL);
	usleep(100000);
	kill(child, SIGSTOP);
	waitpid(child, NULL, 0);
}

/* The numbers as they stood between two instructions: the first so many of one round. */
static bool is_one_instant(int descriptor)
{
	uint64_t number[RING];
	size_t falls = 0;

	for (size_t i = 0; i < RING; i++)
		if (pread(descriptor, &number[i], sizeof(number[i]),
			  (off_t)(uintptr_t)(ring + i * PAGE / sizeof(*ring))) != sizeof(number[i]))
			return false;
	for (size_t i = 1; i < RING; i++)
		falls += number[i] != number[i - 1];
	return number[0] > 0 && number[0] - number[RING - 1] == falls && falls <= 1;
}

static void check_instant(int descriptor)
{
	size_t wrong = 0;

	for (size_t i = 0; i < 100; i++)
		wrong += !is_one_instant(descriptor);
	check(wrong == 0, "what a running process writes in turn is seen at one instant (%zu not)",
	      wrong);
}

static void check_reading(int descriptor)
{
	unsigned char bytes[3 * PAGE], part[2][PAGE];
	struct iovec parts[2] = {{part[0], PAGE}, {part[1], PAGE}};
	off_t start = (off_t)(uintptr_t)layout;

	check(reads(descriptor, layout, 'a', 3 * PAGE),
	      "pages that were written, made accessible or unmapped since");
	check(reads(descriptor, layout + 3 * PAGE, 0, PAGE), "one that was never touched is zero");
	check(pread(descriptor, bytes, sizeof(bytes), start + (off_t)(3 * PAGE)) == 2 * PAGE &&
		      bytes[PAGE] == 'b',
	      "less is read where nothing was mapped");
	refuses(pread(descriptor, bytes, 1, start + (off_t)(5 * PAGE)), EFAULT,
		"and nothing there: EFAULT");
	check(pread(descriptor, bytes, 2 * PAGE, start + (off_t)(7 * PAGE)) == 2 * PAGE &&
		      bytes[0] == 'F' && all(bytes + 1, 'f', 2 * PAGE - 1),
	      "a file, with what had been written over it");
	refuses(pread(descriptor, bytes, 1, start + (off_t)(9 * PAGE)), EFAULT,
		"shared memory is not covered: EFAULT");
	check(reads(descriptor, huge + (1ul << 20) - PAGE, 'h', 4 * PAGE), "a huge page");
	check(reads(descriptor, vast + touched[2] * PAGE - PAGE + 7, 't', 2 * PAGE - 7),
	      "from the midst of a page");
	check(reads(descriptor, vast + 1000 * PAGE, 0, PAGE), "what is new since is zero");
	check(lseek(descriptor, start, SEEK_SET) == start &&
		      readv(descriptor, parts, 2) == 2 * PAGE && all(part[0], 'a', PAGE) &&
		      all(part[1], 'a', PAGE) &&
		      lseek(descriptor, 0, SEEK_CUR) == start + (off_t)(2 * PAGE),
	      "readv moves on");
	refuses(pread(descriptor, (void *)(uintptr_t)ring, PAGE, start), EFAULT,
		"a buffer that is none");
	refuses(pread(descriptor, bytes, 1, -1), EINVAL, "no address below zero");
	refuses(pwrite(descriptor, bytes, 1, start), ESPIPE, "it cannot be written to");
	refuses(write(descriptor, bytes, 1), EINVAL, "by write neither");
	check(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, descriptor, start) == MAP_FAILED &&
		      errno == ENODEV,
	      "nor mapped");
}

/* The holes and the data of a part are where EXPECTED says, in pages, beginning with data. */
static bool has_layout(int descriptor, const unsigned char *start, size_t pages,
		       const size_t *expected, size_t count)
{
	off_t first = (off_t)(uintptr_t)start, at = first, end = first + (off_t)(pages * PAGE);

	for (size_t i = 0; i < count; i++) {
		at = lseek(descriptor, at, i % 2 ? SEEK_HOLE : SEEK_DATA);
		if (at != first + (off_t)(expected[i] * PAGE)) {
			printf("# change %zu: page %ld\n", i, (at - first) / (off_t)PAGE);
			return false;
		}
	}
	at = lseek(descriptor, at, SEEK_DATA);
	return at < 0 || at >= end;
}

static void check_holes(int descriptor)
{
	static const size_t in_vast[] = {0,
					 1,
					 5 * 512 + 511,
					 5 * 512 + 513,
					 1u << 31,
					 (1u << 31) + 1,
					 VAST / PAGE - 1,
					 VAST / PAGE};
	static const size_t in_layout[] = {0, 3, 4, 5, 7, 9};
	struct cape_extent range = {(uintptr_t)layout + PAGE, PAGE};
	off_t size = lseek(descriptor, 0, SEEK_END);

	check(has_layout(descriptor, layout, LAYOUT, in_layout, 6), "data and holes");
	check(has_layout(descriptor, vast, VAST / PAGE, in_vast, 8),
	      "of 16 TB with five pages in it");
	check(lseek(descriptor, (off_t)(uintptr_t)layout + 9, SEEK_DATA) ==
			      (off_t)(uintptr_t)layout + 9 &&
		      lseek(descriptor, (off_t)(uintptr_t)layout + 9, SEEK_HOLE) ==
			      (off_t)((uintptr_t)layout + 3 * PAGE),
	      "beginning in the midst of a page");
	check(size > (off_t)(uintptr_t)vast, "the size is that of the address space");
	refuses(lseek(descriptor, size, SEEK_DATA), ENXIO, "no data behind the end: ENXIO");
	refuses(lseek(descriptor, size, SEEK_HOLE), ENXIO, "nor a hole: ENXIO");
	refuses(lseek(descriptor, -1, SEEK_DATA), ENXIO, "nor before the beginning: ENXIO");
	refuses(lseek(descriptor, 0, 77), EINVAL, "no other way to seek: EINVAL");
	check(pread(descriptor, &range, sizeof(range), size) == 0, "the end of the file");
	check(lseek(descriptor, size - 1, SEEK_HOLE) == size - 1, "the last byte is a hole");
}

/* What was given up is no hole: reading tells of it. */
static void check_given_up(int descriptor)
{
	struct cape_page page = {(uintptr_t)layout + PAGE};
	static const size_t expected[] = {0, 3, 4, 5, 7, 9};
	unsigned char bytes[2 * PAGE];

	check(ioctl(descriptor, CAPE_UNLOCK_PAGE, &page) == 0 &&
		      has_layout(descriptor, layout, LAYOUT, expected, 6),
	      "a page that was unlocked is no hole");
	check(pread(descriptor, bytes, sizeof(bytes), (off_t)(uintptr_t)layout) == PAGE,
	      "what is before it can be read");
	refuses(pread(descriptor, bytes, 1, (off_t)page.address), ESTALE, "but itself: ESTALE");
}

/* Whoever is not the tracer, though he has got the descriptor. */
static void check_others(int descriptor)
{
	pid_t other = fork();
	char byte;
	int status;

	if (other == 0)
		_exit(!(pread(descriptor, &byte, 1, (off_t)(uintptr_t)layout) < 0 &&
			errno == EPERM && lseek(descriptor, 0, SEEK_DATA) < 0 && errno == EPERM));
	waitpid(other, &status, 0);
	check(status == 0, "nobody but the tracer reads or seeks: EPERM");
}

static void check_ranges(int descriptor, pid_t child)
{
	struct cape_extent range[2] = {{(uintptr_t)layout + 4 * PAGE, PAGE},
				       {(uintptr_t)layout + 8 * PAGE, PAGE}};
	static const size_t expected[] = {4, 5, 8, 9};
	unsigned char bytes[2];

	check(ioctl(descriptor, CAPE_UNLOCK, 0) == 0 &&
		      lock(descriptor, CAPE_MODE_SNAPSHOT, range, 2) == 0 &&
		      has_layout(descriptor, layout, LAYOUT, expected, 4),
	      "what is not in the ranges is a hole");
	refuses(pread(descriptor, bytes, 1, (off_t)(uintptr_t)layout), EFAULT,
		"that cannot be read: EFAULT");
	check(reads(descriptor, layout + 4 * PAGE, 'b', PAGE), "what is in them can");
	check_others(descriptor);
	for (size_t stop = 0; stop < 2; stop++) {
		ptrace(PTRACE_CONT, child, NULL, NULL);
		waitpid(child, NULL, 0);
	}
	refuses(pread(descriptor, bytes, 1, (off_t)(uintptr_t)layout + (off_t)(4 * PAGE)), ESRCH,
		"after execve: ESRCH");
	refuses(lseek(descriptor, 0, SEEK_DATA), ESRCH, "and for lseek: ESRCH");
}

/* Swapped out before it is locked, or after. */
static void check_swap(int device)
{
	const char *missing = start_swap();
	pid_t child = spawn(prepare, body, NULL);
	static const size_t expected[] = {0, 3, 4, 5, 7, 9};
	int descriptor = attach(device, child);

	page_out(child, layout, 3 * PAGE);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0 &&
		      reads(descriptor, layout, 'a', 3 * PAGE),
	      "swapped out before the lock%s%s", missing ? " # SKIP " : "", missing ?: "");
	page_out(child, layout, 3 * PAGE);
	check(reads(descriptor, layout, 'a', 3 * PAGE) &&
		      has_layout(descriptor, layout, LAYOUT, expected, 6),
	      "and after it%s%s", missing ? " # SKIP " : "", missing ?: "");
	reap(child);
	refuses(lseek(descriptor, 0, SEEK_DATA), ESRCH, "after the end of the process: ESRCH");
	close(descriptor);
}

int main(void)
{
	int device = open_device(), descriptor;
	pid_t child;
	char byte;

	/* Places, which the children fill. */
	vast = mmap(NULL, VAST, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	layout = mmap(NULL, LAYOUT * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	ring = mmap(NULL, RING * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	huge = mmap(NULL, 4ul << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	huge = (void *)(((uintptr_t)huge + (2ul << 20) - 1) & -(2ul << 20));
	madvise(huge, 2ul << 20, MADV_HUGEPAGE);
	went_round = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	child = spawn(prepare, body, NULL);
	descriptor = attach(device, child);
	refuses(lseek(descriptor, 0, SEEK_DATA), ENODATA, "not locked: ENODATA");
	refuses(pread(descriptor, &byte, 1, 0), ENODATA, "nor read: ENODATA");
	run_for_a_while(child);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0, "lock");
	ptrace(PTRACE_CONT, child, NULL, NULL);
	check_instant(descriptor);
	*went_round = true;
	waitpid(child, NULL, 0);
	check_instant(descriptor);
	check_reading(descriptor);
	check_holes(descriptor);
	check_given_up(descriptor);
	ioctl(descriptor, CAPE_UNLOCK, 0);
	reap(child);
	close(descriptor);

	*went_round = true;
	child = spawn(prepare, body, NULL);
	descriptor = attach(device, child);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0, "lock another");
	check_ranges(descriptor, child);
	reap(child);
	close(descriptor);
	check_swap(device);
	return finish();
}
