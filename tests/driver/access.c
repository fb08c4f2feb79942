/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * access.c - CAPE_READ_RANGE and CAPE_WRITE_RANGE: the right bytes, and what may not be touched.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "module.h"

#define PAGES 600

static unsigned char *memory, *fixed, *hidden, *shared, *shared_file, *private_file, *copy;
/* Userfaultfd is to provide its second page, and never does, and the third, which is zeros. */
static unsigned char *awaited;
static const char *const file_name = "/tmp/file";
static int descriptor;
static struct collected collected;

static int transfer(unsigned long number, const void *address, void *buffer, size_t length,
		    size_t *done)
{
	struct cape_access request = {
		.address = (uintptr_t)address,
		.length = length,
		.buffer = (uintptr_t)buffer,
		.done = 12345,
	};
	int result = ioctl(descriptor, number, &request);

	*done = request.done;
	return result;
}

static unsigned char *map(size_t pages, int protection, int flags, int file)
{
	return mmap(NULL, pages * PAGE, protection, flags, file, 0);
}

static void make_memory(void)
{
	const int both = PROT_READ | PROT_WRITE, own = MAP_PRIVATE | MAP_ANONYMOUS;
	int file = open(file_name, O_RDWR | O_CREAT | O_TRUNC, 0600);

	memory = map(PAGES + 1, both, own, -1);
	for (size_t i = 0; i < PAGES * PAGE; i++)
		memory[i] = (unsigned char)(i * 7 + i / PAGE);
	copy = malloc(2 * PAGES * PAGE);
	fixed = map(2, both, own, -1);
	memset(fixed, 'x', 2 * PAGE);
	mprotect(fixed + PAGE, PAGE, PROT_READ);
	hidden = map(1, both, own, -1);
	memset(hidden, 'h', PAGE);
	mprotect(hidden, PAGE, PROT_NONE);
	shared = map(1, both, MAP_SHARED | MAP_ANONYMOUS, -1);
	if (write(file, memory, PAGE) != PAGE)
		abort();
	shared_file = map(1, both, MAP_SHARED, file);
	private_file = map(1, both, MAP_PRIVATE, file);
	close(file);
	awaited = map(4, both, own, -1);
	memset(awaited, 'a', PAGE);
	memset(awaited + 3 * PAGE, 'd', PAGE);
	/* Last, so that nothing comes to lie in the hole. */
	munmap(memory + PAGES * PAGE, PAGE);
}

static void test_reading(void)
{
	size_t done;

	check(transfer(CAPE_READ_RANGE, memory + 5, copy, PAGES * PAGE - 5, &done) == 0 &&
		      done == PAGES * PAGE - 5 && memcmp(copy, memory + 5, done) == 0,
	      "reads any bytes");
	refuses(transfer(CAPE_READ_RANGE, memory + (PAGES - 1) * PAGE + 1, copy, 2 * PAGE, &done),
		EFAULT, "reading stops at a hole: EFAULT");
	check(done == PAGE - 1, "what came before it is there (%zu)", done);
	refuses(transfer(CAPE_READ_RANGE, hidden, copy, 8, &done), EFAULT,
		"memory that the process may not read: EFAULT");
	check(transfer(CAPE_READ_RANGE, shared_file, copy, PAGE, &done) == 0 &&
		      memcmp(copy, memory, PAGE) == 0,
	      "a shared mapping can be read");
}

static void test_writing(void)
{
	const size_t length = 300 * PAGE + 11;
	size_t done;

	memset(copy, 'w', 2 * PAGES * PAGE);
	check(transfer(CAPE_WRITE_RANGE, memory + 3, copy, length, &done) == 0 && done == length,
	      "writes any bytes");
	check(transfer(CAPE_READ_RANGE, memory, copy + PAGES * PAGE, length + 4, &done) == 0 &&
		      memcmp(copy + PAGES * PAGE, memory, 3) == 0 &&
		      memcmp(copy + PAGES * PAGE + 3, copy, length) == 0 &&
		      copy[PAGES * PAGE + 3 + length] == memory[3 + length],
	      "these bytes and no others");
	refuses(transfer(CAPE_WRITE_RANGE, memory + (PAGES - 1) * PAGE + 1, copy, 2 * PAGE, &done),
		EFAULT, "writing stops at a hole: EFAULT");
	check(done == PAGE - 1, "what came before it was written (%zu)", done);
	check(transfer(CAPE_WRITE_RANGE, private_file, copy, PAGE, &done) == 0,
	      "a private mapping of a file can be written");
}

static void test_refusals(void)
{
	unsigned char page[PAGE];
	size_t done;
	int file;

	refuses(transfer(CAPE_WRITE_RANGE, fixed + PAGE, copy, 8, &done), EACCES,
		"memory that is not writable: EACCES");
	refuses(transfer(CAPE_WRITE_RANGE, fixed + PAGE - 4, copy, 8, &done), EACCES,
		"a range that runs into it: EACCES");
	check(done == 4, "after the bytes before it (%zu)", done);
	refuses(transfer(CAPE_WRITE_RANGE, hidden, copy, 8, &done), EACCES,
		"memory without any access: EACCES");
	refuses(transfer(CAPE_WRITE_RANGE, (void *)(uintptr_t)test_refusals, copy, 8, &done),
		EACCES, "the program's text: EACCES");
	refuses(transfer(CAPE_WRITE_RANGE, shared, copy, 8, &done), EACCES,
		"memory shared with others: EACCES");
	refuses(transfer(CAPE_WRITE_RANGE, shared_file, copy, 8, &done), EACCES,
		"a shared mapping of a file: EACCES");
	check(done == 0 && shared[0] == 0, "and nothing is written");
	file = open(file_name, O_RDONLY);
	check(read(file, page, PAGE) == PAGE && memcmp(page, memory, PAGE) == 0,
	      "the file is as it was");
	close(file);
}

/* In the process: nobody ever provides the page. */
static void await_page(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register area = {
		.range = {(uintptr_t)awaited + PAGE, 3 * PAGE},
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct uffdio_zeropage zeros = {.range = {(uintptr_t)awaited + 2 * PAGE, PAGE}};
	int provider = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (provider < 0 || ioctl(provider, UFFDIO_API, &api) < 0 ||
	    ioctl(provider, UFFDIO_REGISTER, &area) < 0 ||
	    ioctl(provider, UFFDIO_ZEROPAGE, &zeros) < 0)
		abort();
}

static void test_awaited(void)
{
	size_t done;

	refuses(transfer(CAPE_READ_RANGE, awaited, copy, 2 * PAGE, &done), EFAULT,
		"reading memory that userfaultfd has yet to provide: EFAULT");
	check(done == PAGE && copy[PAGE - 1] == 'a', "what came before it is there (%zu)", done);
	refuses(transfer(CAPE_WRITE_RANGE, awaited, copy, 2 * PAGE, &done), EFAULT,
		"writing it: EFAULT");
	check(done == PAGE, "what came before it was written (%zu)", done);
	memset(copy, 'x', 2 * PAGE);
	check(transfer(CAPE_READ_RANGE, awaited + 2 * PAGE, copy, 2 * PAGE, &done) == 0 &&
		      copy[0] == 0 && memcmp(copy, copy + 1, PAGE - 1) == 0 && copy[PAGE] == 'd' &&
		      copy[2 * PAGE - 1] == 'd',
	      "reading what it has provided, as zeros, and what was there");
	check(transfer(CAPE_WRITE_RANGE, awaited + 2 * PAGE, "zz", 2, &done) == 0 && done == 2 &&
		      transfer(CAPE_READ_RANGE, awaited + 2 * PAGE, copy, 3, &done) == 0 &&
		      memcmp(copy, "zz", 3) == 0,
	      "writing to the zeros");
}

/* What is written to locked memory counts as written by the process. */
static void test_locked(void)
{
	const unsigned char *twin;
	size_t done;

	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0, "lock");
	check(transfer(CAPE_READ_RANGE, memory, copy, PAGES * PAGE, &done) == 0 &&
		      collect(descriptor, 64, true, 0, &collected) &&
		      collected_within(&collected, memory, PAGES * PAGE) == 0,
	      "reading locked memory writes nothing");
	memset(copy + PAGE, 'z', 10);
	check(transfer(CAPE_WRITE_RANGE, memory + 400 * PAGE - 5, copy + PAGE, 10, &done) == 0 &&
		      collect(descriptor, 64, true, 0, &collected) &&
		      collected_within(&collected, memory, PAGES * PAGE) == 2 &&
		      collected_page(&collected, memory + 400 * PAGE),
	      "writing it is captured");
	twin = collected_twin(&collected, memory + 400 * PAGE);
	check(twin && memcmp(twin, memory + 400 * PAGE, PAGE) == 0, "with the right twin");
}

static void nothing(void *argument)
{
	(void)argument;
}

int main(void)
{
	int device = open_device();
	pid_t child;

	make_memory();
	child = spawn(await_page, nothing, NULL);
	descriptor = attach(device, child);
	test_reading();
	test_writing();
	test_refusals();
	test_awaited();
	test_locked();
	close(descriptor);
	reap(child);
	return finish();
}
