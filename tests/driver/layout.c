/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout.c - memory that moves, goes, comes, is swapped out or shared by threads while it is
 * locked.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define PAGES 64
#define HUGE  (2ul << 20)

static unsigned char *first, *second, *heap, *huge;
static struct collected collected;
static struct notices notices;

static unsigned char *page(unsigned char *memory, size_t number)
{
	return memory + number * PAGE;
}

static void touch(unsigned char *memory, size_t number)
{
	*(volatile unsigned char *)page(memory, number) = 99;
}

/* Whether exactly the pages of LIST, which -1 ends, were collected of MEMORY. */
static bool exactly(const unsigned char *memory, const int *list)
{
	bool right = true;

	for (int number = 0; number < PAGES; number++) {
		bool wanted = number == *list;
		bool got = collected_page(&collected, memory + (size_t)number * PAGE);

		list += wanted;
		if (wanted != got)
			printf("# page %d: %s\n", number, got ? "should not be" : "is missing");
		right &= wanted == got;
	}
	return right;
}

static void change_layout(void *argument)
{
	(void)argument;
	munmap(page(first, 10), 4 * PAGE);
	munmap(page(first, 20), 2 * PAGE);
	mmap(page(first, 20), 2 * PAGE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	madvise(page(first, 30), 3 * PAGE, MADV_DONTNEED);
	mremap(page(first, 40), 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
	       page(second, 40));
	mprotect(page(first, 55), PAGE, PROT_READ);
	mprotect(page(first, 55), PAGE, PROT_READ | PROT_WRITE);
	touch(first, 56);
	if (sbrk(100 * PAGE) == (void *)-1)
		abort();
	touch(heap, 90);
}

static void fork_and_write(void *argument)
{
	pid_t child;

	(void)argument;
	touch(first, 5);
	child = fork();
	if (child == 0) {
		touch(first, 5);
		touch(first, 6);
		_exit(first[7 * PAGE] == 1 ? 0 : 1);
	}
	waitpid(child, NULL, 0);
	touch(first, 5);
	touch(first, 8);
}

static void map_huge(void)
{
	if (mmap(huge, HUGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_FIXED, -1, 0) == MAP_FAILED)
		abort();
	memset(huge, 1, HUGE);
}

static void write_huge(void *argument)
{
	(void)argument;
	huge[0] = 2;
	huge[HUGE / 2] = 2;
	madvise(huge, HUGE, MADV_DONTNEED);
	huge[0] = 3;
	touch(first, 1);
}

static void *write_same_pages(void *argument)
{
	for (size_t i = 0; i < PAGES; i += 2)
		touch(argument, i);
	return NULL;
}

static void two_threads(void *argument)
{
	pthread_t thread[2];

	(void)argument;
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, write_same_pages, first);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

static void write_swapped(void *argument)
{
	volatile unsigned char seen = *page(first, 6);

	(void)argument;
	(void)seen;
	touch(first, 5);
	pause_here();
	touch(first, 9);
}

static int open_pages(const char *name, int fill)
{
	static unsigned char bytes[PAGES * PAGE];
	int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);

	memset(bytes, fill, sizeof(bytes));
	if (file < 0 || write(file, bytes, sizeof(bytes)) != sizeof(bytes))
		abort();
	return file;
}

static void map_over(unsigned char *memory, size_t number, size_t pages, int file)
{
	int flags = MAP_PRIVATE | MAP_FIXED | (file < 0 ? MAP_ANONYMOUS : 0);

	if (mmap(page(memory, number), pages * PAGE, PROT_READ | PROT_WRITE, flags, file,
		 file < 0 ? 0 : (off_t)(number * PAGE)) == MAP_FAILED)
		abort();
}

static int old_file, new_file;

/* Clean pages of a file, and memory that was never touched. */
static void map_file(void)
{
	map_over(first, 0, PAGES, old_file);
	map_over(second, 0, PAGES, -1);
}

static void look_at(unsigned char *memory, size_t number)
{
	volatile unsigned char seen = *page(memory, number);

	(void)seen;
}

/* What was there is replaced, and then only read, or not even that. */
static void map_other(void *argument)
{
	(void)argument;
	map_over(first, 10, 3, new_file);
	look_at(first, 11);
	map_over(first, 20, 1, -1);
	look_at(first, 20);
	map_over(first, 30, 4, old_file);
	look_at(first, 30);
	if (mmap(page(first, 40), PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, old_file, 0) ==
	    MAP_FAILED)
		abort();
	touch(first, 50);
	map_over(second, 5, 2, new_file);
	map_over(second, 8, 2, -1);
	look_at(second, 8);
	touch(second, 9);
}

struct prepared {
	pid_t child;
	int descriptor;
};

static void own_memory(void)
{
	own_pages(first, PAGES * PAGE);
	own_pages(second, PAGES * PAGE);
}

static struct prepared prepare(int device, void (*body)(void *))
{
	struct prepared prepared;

	memset(first, 1, PAGES * PAGE);
	memset(second, 2, PAGES * PAGE);
	prepared.child = spawn(own_memory, body, NULL);
	prepared.descriptor = attach(device, prepared.child);
	return prepared;
}

static void end(struct prepared *prepared)
{
	close(prepared->descriptor);
	reap(prepared->child);
}

static const char *name_of(uint32_t mode)
{
	return mode == CAPE_MODE_NOTIFY ? "notify" : "snapshot";
}

/* Has the page a twin of its own, of the one byte FILL? */
static bool twin_is(unsigned char *memory, size_t number, unsigned char fill)
{
	const unsigned char *twin = collected_twin(&collected, page(memory, number));

	return twin && twin[0] == fill && twin[PAGE - 1] == fill;
}

static bool twin_is_zero(unsigned char *memory, size_t number)
{
	const struct cape_dirty *dirty = collected_page(&collected, page(memory, number));

	return dirty && dirty->twin_state == CAPE_TWIN_ZERO;
}

/* Runs the child to its next stop and collects. */
static void go(struct prepared *prepared, const char *what, uint32_t mode)
{
	check(run_child(prepared->child, -1, false, &notices), "%s, %s: the process runs on",
	      name_of(mode), what);
	check(collect(prepared->descriptor, 50, true, 0, &collected), "%s, %s: collect",
	      name_of(mode), what);
}

static void test_layout(int device, uint32_t mode)
{
	struct prepared prepared = prepare(device, change_layout);

	check(lock(prepared.descriptor, mode, NULL, 0) == 0, "%s: lock", name_of(mode));
	go(&prepared, "munmap, mremap, brk", mode);
	check(exactly(first, (int[]){20, 21, 30, 31, 32, 56, -1}), "%s: munmap, DONTNEED, mprotect",
	      name_of(mode));
	check(exactly(second, (int[]){40, 41, -1}), "%s: mremap", name_of(mode));
	check(collected_page(&collected, page(heap, 90)), "%s: memory from brk", name_of(mode));
	end(&prepared);
}

static void test_mapping(int device, uint32_t mode)
{
	struct cape_capture capture = {.address = (uintptr_t)page(first, 12),
				       .flags = CAPE_CAPTURE_KEEP};
	struct prepared prepared;

	prepared.child = spawn(map_file, map_other, NULL);
	prepared.descriptor = attach(device, prepared.child);
	check(lock(prepared.descriptor, mode, NULL, 0) == 0, "%s: lock", name_of(mode));
	go(&prepared, "other files mapped", mode);
	check(exactly(first, (int[]){10, 11, 12, 20, 40, 50, -1}),
	      "%s: other mappings over clean pages of a file", name_of(mode));
	check(twin_is(first, 10, 'o') && twin_is(first, 12, 'o') && twin_is(first, 20, 'o') &&
		      twin_is(first, 40, 'o') && twin_is(first, 50, 'o'),
	      "%s: their twins are what the old file has", name_of(mode));
	check(exactly(second, (int[]){5, 6, 9, -1}),
	      "%s: other mappings over memory that was never touched", name_of(mode));
	check(twin_is_zero(second, 5) && twin_is_zero(second, 6) && twin_is_zero(second, 9),
	      "%s: their twins are zero", name_of(mode));
	check(ioctl(prepared.descriptor, CAPE_CAPTURE_PAGE, &capture) == 0 &&
		      capture.twin_state == CAPE_TWIN_PAGE,
	      "%s: such a page is captured, too", name_of(mode));
	end(&prepared);
}

static void test_fork(int device, uint32_t mode)
{
	struct prepared prepared = prepare(device, fork_and_write);
	const unsigned char *twin;

	check(lock(prepared.descriptor, mode, NULL, 0) == 0, "%s: lock", name_of(mode));
	go(&prepared, "fork", mode);
	check(exactly(first, (int[]){5, 8, -1}), "%s: what a child writes is not captured",
	      name_of(mode));
	twin = collected_twin(&collected, page(first, 5));
	check(twin && twin[0] == 1, "%s: the twin of a page written before and after a fork",
	      name_of(mode));
	end(&prepared);
}

static size_t notices_within(const unsigned char *start, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < notices.count; i++)
		count += notices.address[i] - (uintptr_t)start < length;
	return count;
}

/* Memory that is not covered: nobody is told of it, neither now nor then. */
static void test_hugetlb(int device)
{
	struct prepared prepared;

	if (!put("/proc/sys/vm/nr_hugepages", "4") ||
	    field("/proc/meminfo", "HugePages_Free") < 2) {
		check(true, "hugetlbfs # SKIP no huge pages here");
		return;
	}
	prepared.child = spawn(map_huge, write_huge, NULL);
	prepared.descriptor = attach(device, prepared.child);
	check(lock(prepared.descriptor, CAPE_MODE_NOTIFY, NULL, 0) == 0, "lock");
	go(&prepared, "hugetlbfs", CAPE_MODE_NOTIFY);
	check(notices_within(first, PAGES * PAGE) == 1, "other memory is notified");
	check(notices_within(huge, HUGE) == 0, "hugetlbfs, which is not covered, is not (%zu)",
	      notices_within(huge, HUGE));
	check(collected_within(&collected, huge, HUGE) == 0, "nor is it collected");
	end(&prepared);
	put("/proc/sys/vm/nr_hugepages", "0");
}

static void test_threads(int device, uint32_t mode)
{
	struct prepared prepared = prepare(device, two_threads);
	int even[PAGES / 2 + 1];

	for (int i = 0; i < PAGES / 2; i++)
		even[i] = 2 * i;
	even[PAGES / 2] = -1;
	check(lock(prepared.descriptor, mode, NULL, 0) == 0, "%s: lock", name_of(mode));
	go(&prepared, "two threads", mode);
	check(exactly(first, even), "%s: pages that two threads write", name_of(mode));
	end(&prepared);
}

static size_t swapped_out(pid_t child)
{
	char name[64];
	size_t count = 0;
	int file;

	snprintf(name, sizeof(name), "/proc/%d/pagemap", child);
	file = open(name, O_RDONLY);
	for (size_t i = 0; i < PAGES; i++) {
		uint64_t entry = 0;
		off_t at = (off_t)(((uintptr_t)first / PAGE + i) * sizeof(entry));

		if (pread(file, &entry, sizeof(entry), at) == sizeof(entry))
			count += entry >> 62 & 1;
	}
	close(file);
	return count;
}

static void test_swap(int device, uint32_t mode)
{
	struct prepared prepared = prepare(device, write_swapped);
	const unsigned char *twin;

	/* Pages that only the child has: the parent's own must go. */
	memset(first, 2, PAGES * PAGE);
	page_out(prepared.child, first, PAGES * PAGE);
	check(swapped_out(prepared.child) > 0, "%s: pages are swapped out before the lock",
	      name_of(mode));
	check(lock(prepared.descriptor, mode, NULL, 0) == 0, "%s: lock", name_of(mode));
	page_out(prepared.child, first, PAGES * PAGE);
	go(&prepared, "swapped out", mode);
	check(exactly(first, (int[]){5, -1}), "%s: swapped out and in again", name_of(mode));
	twin = collected_twin(&collected, page(first, 5));
	check(twin && twin[0] == 1 && twin[PAGE - 1] == 1, "%s: its twin", name_of(mode));
	page_out(prepared.child, first, PAGES * PAGE);
	check(collect(prepared.descriptor, 50, false, 0, &collected) &&
		      exactly(first, (int[]){5, -1}),
	      "%s: a written page that is swapped out", name_of(mode));
	go(&prepared, "swapped out once more", mode);
	check(exactly(first, (int[]){5, 9, -1}), "%s: later writes", name_of(mode));
	end(&prepared);
}

int main(void)
{
	int device = open_device();
	const char *no_swap = start_swap();

	first = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	second = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	huge = mmap(NULL, 2 * HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	huge = (unsigned char *)(((uintptr_t)huge + HUGE - 1) & -HUGE);
	old_file = open_pages("/tmp/old", 'o');
	new_file = open_pages("/tmp/new", 'n');
	heap = sbrk(PAGE);
	heap = (unsigned char *)(((uintptr_t)heap + PAGE - 1) & -PAGE);
	for (uint32_t mode = CAPE_MODE_SNAPSHOT; mode <= CAPE_MODE_NOTIFY; mode++) {
		test_layout(device, mode);
		test_mapping(device, mode);
		test_fork(device, mode);
		test_threads(device, mode);
		if (no_swap)
			check(true, "%s: swapped-out pages # SKIP %s", name_of(mode), no_swap);
		else
			test_swap(device, mode);
	}
	test_hugetlb(device);
	return finish();
}
