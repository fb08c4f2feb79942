/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracked.c - CAPE_LOCK_NO_TWINS: the pages that were written are told whatever became of them, no
 * old page is kept, and what needs old contents is refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_epoch.h"

#define PAGES	512
#define SIZE	(PAGES * PAGE)
#define ROUNDS	(is_long() ? 200 : 40)
#define PATIENT 200 /* times 10 ms, for what takes that if the machine is not busy */

/* What the child is to do to its memory before it stops. */
struct order {
	enum {
		WRITE,
		WRITE_OTHERS,
		FORK,
		DROP,
		MOVE,
		PROTECT,
		GO_ON,
		WRITE_IN_THREAD,
		RANDOM
	} what;
	size_t first, count; /* pages */
	uint64_t random;
	bool pinned; /* the answer of pin() */
};

static unsigned char *memory, *spare;
static struct order *order; /* shared with the child */
static int device, descriptor;
static pid_t child;
static struct collected collected;
static struct notices notices;

static void own_memory(void)
{
	memset(memory, 1, SIZE);
	memset(spare, 2, SIZE);
}

/* Page 7 stays pinned, as for DMA. */
static void pin(void)
{
	struct io_uring_params parameters = {0};
	struct iovec page = {memory + 7 * PAGE, PAGE};
	int ring = (int)syscall(SYS_io_uring_setup, 1, &parameters);

	own_memory();
	order->pinned =
		syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &page, 1) == 0;
}

static uint64_t next(uint64_t limit)
{
	order->random = order->random * 6364136223846793005u + 1442695040888963407u;
	return (order->random >> 33) % limit;
}

static void write_pages(size_t first, size_t count)
{
	for (size_t i = first; i < first + count && i < PAGES; i++)
		memory[i * PAGE + 100]++;
}

static void *write_ordered(void *unused)
{
	(void)unused;
	write_pages(order->first, order->count);
	return NULL;
}

/* A child of its own, which writes, and ends. */
static void have_child(void)
{
	pid_t own = fork();

	if (own == 0) {
		memset(memory, 9, SIZE);
		_exit(0);
	}
	waitpid(own, NULL, 0);
}

/* Some pages get other bytes, by one way or another; others only seem to. */
static void act(void)
{
	size_t first = next(PAGES), count = 1 + next(16);
	unsigned char *at = memory + first * PAGE;

	if (first + count > PAGES)
		count = PAGES - first;
	switch (next(8)) {
	case 0:
		madvise(at, count * PAGE, MADV_DONTNEED);
		break;
	case 1:
		mprotect(at, count * PAGE, PROT_READ);
		mprotect(at, count * PAGE, PROT_READ | PROT_WRITE);
		break;
	case 2:
		have_child();
		break;
	case 3:
		madvise(at, count * PAGE, MADV_PAGEOUT);
		break;
	case 4:
		mremap(at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, memory + next(PAGES) * PAGE);
		mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		     0);
		break;
	default:
		write_pages(first, count);
	}
}

static void obey(void *unused)
{
	pthread_t thread;

	(void)unused;
	for (;; pause_here()) {
		unsigned char *at = memory + order->first * PAGE;
		size_t length = order->count * PAGE;

		switch (order->what) {
		case WRITE:
			write_pages(order->first, order->count);
			break;
		case WRITE_OTHERS:
			for (size_t i = order->first; i < order->count; i += 2)
				write_pages(i, 1);
			break;
		case FORK:
			have_child();
			break;
		case DROP:
			madvise(at, length, MADV_DONTNEED);
			break;
		case MOVE:
			mremap(spare, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, at);
			break;
		case PROTECT:
			mprotect(at, length, PROT_READ);
			break;
		case WRITE_IN_THREAD:
			pthread_create(&thread, NULL, write_ordered, NULL);
			pthread_join(thread, NULL);
			break;
		case RANDOM:
			for (int i = 0; i < 20; i++)
				act();
			break;
		case GO_ON:
			break;
		}
	}
}

static void start_with(void (*prepare)(void))
{
	child = spawn(prepare, obey, NULL);
	descriptor = attach(device, child);
}

static void start(void)
{
	start_with(own_memory);
}

static void stop(void)
{
	close(descriptor);
	reap(child);
}

static int track(uint32_t mode, uint32_t flags)
{
	struct cape_extent range = {(uintptr_t)memory, SIZE};
	struct cape_lock request = {
		.mode = mode,
		.flags = CAPE_LOCK_NO_TWINS | flags,
		.ranges = (uintptr_t)&range,
		.range_count = 1,
	};

	return ioctl(descriptor, CAPE_LOCK, &request);
}

static void have(int what, size_t first, size_t count)
{
	order->what = what;
	order->first = first;
	order->count = count;
	run_child(child, -1, false, &notices);
}

static struct cape_status status(void)
{
	struct cape_status request = {0};

	ioctl(descriptor, CAPE_GET_STATUS, &request);
	return request;
}

/* Does the driver hold so many pages, after some time at the latest? */
static bool comes_to_hold(uint64_t least, uint64_t most)
{
	uint64_t count = 0;

	for (int i = 0; i < PATIENT; i++) {
		count = status().twin_count;
		if (count >= least && count <= most)
			return true;
		usleep(10000);
	}
	printf("# it holds %llu pages\n", (unsigned long long)count);
	return false;
}

/* Are exactly the pages from FIRST on told, as pages without a twin? */
static bool told(size_t first, size_t count)
{
	bool right = collect(descriptor, 100, false, 0, &collected) && collected.count == count;

	for (size_t i = 0; right && i < count; i++)
		right = collected.page[i].address == (uintptr_t)memory + (first + i) * PAGE &&
			collected.page[i].twin_state == CAPE_TWIN_NONE;
	if (!right)
		printf("# %zu pages are told\n", collected.count);
	return right;
}

static void test_writes(void)
{
	start();
	check(track(CAPE_MODE_SNAPSHOT, 0) == 0, "a lock that keeps no twins");
	check(status().twin_count == PAGES && told(0, 0), "nothing is written at first");
	have(WRITE, 10, 300);
	check(told(10, 300), "what is written is told");
	/* Some may wait in the kernel's lists. */
	check(comes_to_hold(PAGES - 300, PAGES - 300 + 31), "the old pages are given up");
	check(told(10, 300), "what is written is told still");
	have(WRITE_IN_THREAD, 400, 1);
	have(FORK, 0, 0);
	have(PROTECT, 10, 300);
	check(collect(descriptor, 100, false, 0, &collected) && collected.count == 301,
	      "after a fork, and when it is not writable any more, too");
	page_out(child, memory, SIZE);
	have(GO_ON, 0, 0);
	check(collect(descriptor, 100, false, 0, &collected) && collected.count == 301,
	      "after reclaim has looked for it, too");
	have(DROP, 450, 2);
	have(MOVE, 500, 3);
	check(collect(descriptor, 100, false, 0, &collected) && collected.count == 306 &&
		      collected_page(&collected, memory + 451 * PAGE) &&
		      collected_page(&collected, memory + 502 * PAGE),
	      "what was dropped, or moved there, is told");
	check(collect(descriptor, 100, false, CAPE_COLLECT_UNLOCK, &collected) &&
		      collected.count == 306 && told(0, 0) && status().open_count == 306,
	      "pages that are told can be unlocked");
	check(ioctl(descriptor, CAPE_UNLOCK, 0) == 0 && status().twin_count == 0, "it is unlocked");
	stop();
}

static int64_t begin_epoch(void)
{
	struct cape_epoch request = {0};

	return ioctl(descriptor, CAPE_EPOCH, &request) < 0 ? -1 : (int64_t)request.epoch;
}

/* Is all of MEMORY one huge page? */
static bool is_huge(void)
{
	char path[64], line[256];
	bool here = false;
	long size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/smaps", child);
	maps = fopen(path, "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long start, end;

		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			here = start <= (uintptr_t)memory && (uintptr_t)memory < end;
		else if (here)
			sscanf(line, "AnonHugePages: %ld", &size);
	}
	if (maps)
		fclose(maps);
	return size * 1024 >= (long)SIZE;
}

/* The parts of a huge page that the process has still are not neighbours when it gives them up. */
static void test_scattered(void)
{
	start();
	check(is_huge() && track(CAPE_MODE_SNAPSHOT, 0) == 0, "a huge page: it is locked");
	have(WRITE_OTHERS, 0, PAGES);
	check(begin_epoch() == 2 && told(0, 0), "every other part is written; another epoch");
	have(WRITE_OTHERS, 1, PAGES);
	check(comes_to_hold(PAGES / 2, PAGES / 2 + 31),
	      "then the others: those of the huge page are given up");
	stop();
}

/* A huge page is given up when no part of it is the process's any more. */
static void test_huge(void)
{
	unsigned char *all = mmap(NULL, 3 * SIZE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned char *kept = memory;
	bool written;

	memory = (unsigned char *)(((uintptr_t)all + SIZE - 1) & -SIZE);
	madvise(memory, SIZE, MADV_HUGEPAGE);
	start();
	check(track(CAPE_MODE_SNAPSHOT, 0) == 0, "huge pages: they are locked");
	have(WRITE, 0, PAGES / 2);
	check(told(0, PAGES / 2), "the parts that are written are told");
	have(WRITE, PAGES / 2, PAGES);
	written = told(0, PAGES);
	check(written && comes_to_hold(0, 31), "all of it: the huge page is given up");
	check(told(0, PAGES), "they are told still");
	stop();
	test_scattered();
	munmap(all, 3 * SIZE);
	memory = kept;
}

static size_t differing(uint64_t from, uint64_t to)
{
	struct cape_extent extent[PAGES];
	struct cape_diff request = {
		.from = from,
		.to = to,
		.extents = (uintptr_t)extent,
		.capacity = PAGES,
	};
	size_t count = 0;

	if (ioctl(descriptor, CAPE_DIFF, &request) < 0)
		return PAGES;
	for (uint32_t i = 0; i < request.count; i++)
		count += extent[i].length / PAGE;
	return count;
}

static void test_epochs(void)
{
	struct cape_epoch_number number = {.epoch = 3};

	start();
	track(CAPE_MODE_SNAPSHOT, 0);
	have(WRITE, 0, 8);
	comes_to_hold(PAGES - 8, PAGES - 1);
	check(begin_epoch() == 2 && told(0, 0), "another epoch: nothing is written in it");
	have(WRITE, 4, 8);
	check(told(4, 8), "what is written in it is told");
	check(begin_epoch() == 3, "a third");
	check(differing(1, 2) == 8 && differing(2, 3) == 8 && differing(1, 3) == 12,
	      "where two of them differ is told");
	check(comes_to_hold(PAGES, PAGES), "no old page is kept for them");
	have(WRITE, 20, 1);
	check(ioctl(descriptor, CAPE_DROP_EPOCH, &number) == 0, "the newest is dropped");
	check(collect(descriptor, 100, false, 0, &collected) && collected.count == 9 &&
		      collected_page(&collected, memory + 20 * PAGE) &&
		      collected_page(&collected, memory + 11 * PAGE),
	      "what was written in both counts as written in the one before");
	number.epoch = 1;
	check(ioctl(descriptor, CAPE_DROP_EPOCH, &number) == 0 &&
		      collect(descriptor, 100, false, 0, &collected) && collected.count == 9,
	      "the oldest is dropped: the newest is what it was");
	number.epoch = 2;
	for (int64_t epoch = 2; epoch < 300; number.epoch = (uint64_t)epoch) {
		epoch = begin_epoch();
		if (epoch < 0 || ioctl(descriptor, CAPE_DROP_EPOCH, &number) < 0)
			break;
	}
	check(number.epoch == 300 && told(0, 0), "hundreds of epochs, one after the other");
	stop();
}

static unsigned char before[SIZE], after[SIZE];

static void copy_memory(unsigned char *to)
{
	struct cape_access access = {
		.address = (uintptr_t)memory,
		.length = SIZE,
		.buffer = (uintptr_t)to,
	};

	ioctl(descriptor, CAPE_READ_RANGE, &access);
}

/* Whatever happens to the memory: no page that has other bytes is missed. */
static void test_random(void)
{
	size_t missed = 0, differ = 0;
	bool alive = true;

	start_swap();
	start();
	order->random = 1;
	track(CAPE_MODE_SNAPSHOT, 0);
	for (int round = 0; round < ROUNDS && alive; round++) {
		copy_memory(before);
		for (int i = 0; i < 3; i++) {
			have(RANDOM, 0, 0);
			if (i == 1)
				usleep(30000);
		}
		alive = collect(descriptor, 256, false, 0, &collected);
		copy_memory(after);
		for (size_t i = 0; i < PAGES; i++) {
			if (memcmp(before + i * PAGE, after + i * PAGE, PAGE) == 0)
				continue;
			differ++;
			missed += !collected_page(&collected, memory + i * PAGE);
		}
		alive &= begin_epoch() > 0 || (ioctl(descriptor, CAPE_UNLOCK, 0) == 0 &&
					       track(CAPE_MODE_SNAPSHOT, 0) == 0);
	}
	check(alive && differ > (size_t)ROUNDS && missed == 0,
	      "random acts: no page that differs is missed");
	if (missed)
		printf("# %zu of %zu\n", missed, differ);
	stop();
}

/* A page that a device may write to is told each time, with no copy of it held. */
static void test_pinned(void)
{
	bool well;

	start_with(pin);
	well = track(CAPE_MODE_SNAPSHOT, 0) == 0;
	if (order->pinned) {
		check(well && told(7, 1) && collected.page[0].flags == CAPE_DIRTY_PINNED &&
			      status().twin_count == PAGES - 1,
		      "a page that is pinned counts as written");
		check(begin_epoch() == 2 && told(7, 1) &&
			      collected.page[0].flags == CAPE_DIRTY_PINNED &&
			      status().twin_count == PAGES - 1,
		      "in each epoch");
	} else {
		check(well, "a pinned page # SKIP no io_uring here");
	}
	stop();
}

static void test_refusals(void)
{
	static unsigned char page[PAGE];
	struct cape_dirty dirty;
	struct cape_collect with_twins = {
		.pages = (uintptr_t)&dirty,
		.twins = (uintptr_t)page,
		.page_capacity = 1,
		.twin_capacity = 1,
	};
	struct cape_capture capture = {.address = (uintptr_t)memory};
	struct cape_access access = {
		.address = (uintptr_t)memory,
		.length = 1,
		.buffer = (uintptr_t)page,
	};
	struct cape_rollback rollback = {0};
	struct cape_rollback_to to = {.epoch = 1};
	struct cape_epoch_number view = {.epoch = 1};
	struct cape_check sums = {.pages = (uintptr_t)&dirty, .page_capacity = 1};
	struct cape_page one = {.address = (uintptr_t)memory};
	off_t at = (off_t)(uintptr_t)memory;

	start();
	refuses(track(CAPE_MODE_NOTIFY, 0), EINVAL, "in mode notify: EINVAL");
	refuses(track(CAPE_MODE_SNAPSHOT, CAPE_LOCK_CHECK), EINVAL, "with sums: EINVAL");
	refuses(track(CAPE_MODE_SNAPSHOT, CAPE_LOCK_NO_TWINS << 1), EINVAL, "unknown flag: EINVAL");
	refuses(track(CAPE_MODE_RECORD, 0), ENXIO, "in mode record without a recorder: ENXIO");
	check(status().mode == CAPE_MODE_UNLOCKED, "nothing is locked");
	check(track(CAPE_MODE_SNAPSHOT, 0) == 0, "locked");
	have(WRITE, 0, 2);
	refuses(track(CAPE_MODE_SNAPSHOT, 0), EBUSY, "locked twice: EBUSY");
	refuses(ioctl(descriptor, CAPE_COLLECT, &with_twins), EOPNOTSUPP, "twins: EOPNOTSUPP");
	refuses(ioctl(descriptor, CAPE_CAPTURE_PAGE, &capture), EOPNOTSUPP, "capture: EOPNOTSUPP");
	refuses(ioctl(descriptor, CAPE_READ_LOCKED, &access), EOPNOTSUPP, "read: EOPNOTSUPP");
	refuses(pread(descriptor, page, 1, at), EOPNOTSUPP, "read(2): EOPNOTSUPP");
	refuses(lseek(descriptor, at, SEEK_DATA), EOPNOTSUPP, "lseek(2): EOPNOTSUPP");
	refuses(ioctl(descriptor, CAPE_VIEW, &view), EOPNOTSUPP, "view: EOPNOTSUPP");
	refuses(ioctl(descriptor, CAPE_CHECK, &sums), EOPNOTSUPP, "check: EOPNOTSUPP");
	refuses(ioctl(descriptor, CAPE_ROLLBACK, &rollback), EOPNOTSUPP, "rollback: EOPNOTSUPP");
	refuses(ioctl(descriptor, CAPE_ROLLBACK_TO, &to), EOPNOTSUPP, "rollback to: EOPNOTSUPP");
	check(told(0, 2), "what was written is told still");
	check(ioctl(descriptor, CAPE_UNLOCK_PAGE, &one) == 0 && told(1, 1), "one is unlocked");
	ioctl(descriptor, CAPE_UNLOCK, 0);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0 &&
		      ioctl(descriptor, CAPE_READ_LOCKED, &access) == 0,
	      "another lock keeps twins");
	stop();
}

/* Who wrote is recorded, and no twin is kept. */
static void test_recorder(void)
{
	struct cape_make_recorder request = {.record_count = 1024};
	int ring;
	const struct cape_record_header *header;

	start();
	ring = ioctl(descriptor, CAPE_MAKE_RECORDER, &request);
	header = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, ring, PAGE);
	check(header != MAP_FAILED && track(CAPE_MODE_RECORD, 0) == 0, "mode record");
	have(WRITE, 5, 100);
	check(header->head == 100 && told(5, 100), "a record for each page, which is told");
	check(comes_to_hold(PAGES - 100, PAGES - 100 + 31), "no old page is kept");
	have(WRITE, 5, 100);
	check(header->head == 100, "no second record");
	check(begin_epoch() == 2, "another epoch");
	have(WRITE, 5, 100);
	check(header->head == 200 && told(5, 100), "each is recorded once more");
	munmap((void *)header, PAGE);
	close(ring);
	stop();
}

/* The process ends, and the descriptor is closed, while old pages are looked for. */
static void test_ends(void)
{
	int error;

	for (int i = 0; i < 10; i++) {
		start();
		track(CAPE_MODE_SNAPSHOT, 0);
		have(WRITE, 0, PAGES);
		if (i & 1)
			usleep(12000);
		stop();
	}
	start();
	track(CAPE_MODE_SNAPSHOT, 0);
	reap(child);
	error = collect(descriptor, 100, false, 0, &collected) ? 0 : errno;
	check(error == ESRCH && status().twin_count == 0, "the process has ended: ESRCH");
	close(descriptor);
}

int main(void)
{
	device = open_device();
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	spare = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	order = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	madvise(memory, SIZE, MADV_NOHUGEPAGE);
	test_writes();
	test_huge();
	test_epochs();
	test_random();
	test_pinned();
	test_refusals();
	test_recorder();
	test_ends();
	return finish();
}
