/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * onlookers.c - who else looks at pages that a rollback puts back: those who track writes by the
 * page table see that they were written; a pipe and a child of the process, which have them too,
 * see no change, also while the kernel compacts and reclaims memory.  Who is to be asked before a
 * page is written is not passed over.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "area.h"

#define FIRST  1 /* page that the child writes */
#define COUNT  16
#define WRITE  77 /* the first value */
#define ROUNDS 40

/* <linux/userfaultfd.h> and <linux/fs.h> of Linux 6.7. */
#define USER_MODE_ONLY	1
#define WP_ASYNC	(1 << 15)
#define PAGE_IS_WRITTEN (1 << 1)
#define WP_MATCHING	(1 << 0)
#define CHECK_WPASYNC	(1 << 1)
#define SOFT_DIRTY	(1ull << 55)

struct region {
	uint64_t start, end, categories;
};

struct scan {
	uint64_t size, flags, start, end, walk_end, regions, length, most;
	uint64_t inverted, mask, any_of, returned;
};

#define PAGEMAP_SCAN _IOWR('f', 16, struct scan)

/* One way to learn what was written. */
struct tracker {
	const char *name;
	void (*prepare)(void);	    /* in the child */
	bool (*begin)(int pagemap); /* from now on; false: this kernel has it not */
	size_t (*written)(int pagemap);
};

/* What child, test and the child's child tell each other. */
static volatile struct {
	bool tracked, asked;
	size_t told; /* pages that are as they were, and one more */
} * words;

static int userfault; /* in the child */
static int ends[2];   /* of a pipe */
static struct copy first, present;
static struct notices notices;

static unsigned char *page_of(size_t i)
{
	return area + (FIRST + i) * PAGE;
}

static void watch_pages(uint64_t features)
{
	struct uffdio_api api = {.api = UFFD_API, .features = features};
	struct uffdio_register request = {.range = {(uintptr_t)page_of(0), COUNT * PAGE},
					  .mode = UFFDIO_REGISTER_MODE_WP};

	own_area();
	userfault = (int)syscall(SYS_userfaultfd, USER_MODE_ONLY);
	words->tracked = userfault >= 0 && ioctl(userfault, UFFDIO_API, &api) == 0 &&
			 ioctl(userfault, UFFDIO_REGISTER, &request) == 0;
}

static void prepare_tracking(void)
{
	watch_pages(WP_ASYNC);
}

static void prepare_guard(void)
{
	watch_pages(UFFD_FEATURE_PAGEFAULT_FLAG_WP);
}

static long scan_pages(int pagemap, uint64_t flags, struct region *regions)
{
	struct scan scan = {.size = sizeof(scan),
			    .flags = flags | CHECK_WPASYNC,
			    .start = (uintptr_t)page_of(0),
			    .end = (uintptr_t)page_of(COUNT),
			    .regions = (uintptr_t)regions,
			    .length = COUNT,
			    .mask = PAGE_IS_WRITTEN,
			    .returned = PAGE_IS_WRITTEN};

	return ioctl(pagemap, PAGEMAP_SCAN, &scan);
}

static bool begin_scan(int pagemap)
{
	struct region regions[COUNT];

	return words->tracked && scan_pages(pagemap, WP_MATCHING, regions) >= 0;
}

static size_t count_scanned(int pagemap)
{
	struct region regions[COUNT];
	long got = scan_pages(pagemap, 0, regions);
	size_t count = 0;

	for (long i = 0; i < got; i++)
		count += (regions[i].end - regions[i].start) / PAGE;
	return count;
}

static size_t count_soft_dirty(int pagemap)
{
	uint64_t entry[COUNT];
	size_t count = 0;

	if (pread(pagemap, entry, sizeof(entry),
		  (off_t)((uintptr_t)page_of(0) / PAGE * sizeof(entry[0]))) != sizeof(entry))
		return 0;
	for (size_t i = 0; i < COUNT; i++)
		count += (entry[i] & SOFT_DIRTY) != 0;
	return count;
}

static bool begin_soft_dirty(int pagemap)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/clear_refs", child);
	/* All of them were written. */
	return count_soft_dirty(pagemap) == COUNT && put(name, "4");
}

static const struct tracker trackers[] = {
	{"PAGEMAP_SCAN", prepare_tracking, begin_scan, count_scanned},
	{"soft-dirty", own_area, begin_soft_dirty, count_soft_dirty},
};

static void write_rounds(void *unused)
{
	(void)unused;
	for (int round = 0;; round++) {
		memset(page_of(0), WRITE + round, COUNT * PAGE);
		pause_here();
	}
}

static bool is_first(void)
{
	take_copy(&present, 1);
	return memcmp(present.bytes, first.bytes, sizeof(present.bytes)) == 0;
}

static void test_tracker(const struct tracker *tracker)
{
	char name[64];
	int pagemap;
	bool right;

	words->tracked = false;
	child = spawn(tracker->prepare, write_rounds, NULL);
	descriptor = attach(device, child);
	snprintf(name, sizeof(name), "/proc/%d/pagemap", child);
	pagemap = open(name, O_RDONLY | O_CLOEXEC);
	right = lock_area(CAPE_MODE_SNAPSHOT) == 0;
	take_copy(&first, 1);
	right &= run_child(child, -1, false, &notices) && begin_epoch() == 2;
	if (!tracker->begin(pagemap)) {
		check(right, "%s # SKIP this kernel has it not", tracker->name);
	} else {
		check(right && tracker->written(pagemap) == 0, "%s: no page was written since",
		      tracker->name);
		check(rollback_to(1) == 0 && is_first() && tracker->written(pagemap) == COUNT,
		      "%s: back to the epoch before: all pages were", tracker->name);
		check(run_child(child, -1, false, &notices) && tracker->begin(pagemap) &&
			      tracker->written(pagemap) == 0 && rollback_to(1) == 0 && is_first() &&
			      tracker->written(pagemap) == COUNT,
		      "%s: back to the newest: likewise", tracker->name);
	}
	close(pagemap);
	stop_child();
}

static void guard_pages(void *unused)
{
	struct uffdio_writeprotect request = {.range = {(uintptr_t)page_of(0), COUNT * PAGE},
					      .mode = UFFDIO_WRITEPROTECT_MODE_WP};

	(void)unused;
	memset(page_of(0), WRITE, COUNT * PAGE);
	words->tracked &= ioctl(userfault, UFFDIO_WRITEPROTECT, &request) == 0;
	pause_here();
}

/* Somebody wants to be asked before the next write, which is of no use to a rollback. */
static void test_guarded(void)
{
	bool right;

	child = spawn(prepare_guard, guard_pages, NULL);
	descriptor = attach(device, child);
	right = lock_area(CAPE_MODE_SNAPSHOT) == 0;
	right &= run_child(child, -1, false, &notices) && words->tracked;
	take_copy(&first, 1);
	refuses(right ? rollback_to(1) : 0, EFAULT,
		"pages that userfaultfd is asked about before they are written: EFAULT");
	check(begin_epoch() == 2, "a further epoch");
	refuses(rollback_to(1), EFAULT, "back to the epoch before: likewise");
	check(is_first() && get_epochs(NULL, 0).count == 2, "and nothing has changed");
	stop_child();
}

static void put_in_pipe(void *unused)
{
	struct iovec pages = {page_of(0), COUNT * PAGE};

	(void)unused;
	memset(page_of(0), WRITE, COUNT * PAGE);
	pause_here();
	if (vmsplice(ends[1], &pages, 1, 0) != (ssize_t)pages.iov_len)
		_exit(1);
	pause_here();
}

static void test_pipe(void)
{
	unsigned char bytes[PAGE];
	size_t old = 0;
	bool right;

	if (pipe2(ends, O_CLOEXEC) < 0)
		abort();
	child = spawn(own_area, put_in_pipe, NULL);
	descriptor = attach(device, child);
	right = lock_area(CAPE_MODE_SNAPSHOT) == 0;
	take_copy(&first, 1);
	right &= run_child(child, -1, false, &notices) && begin_epoch() == 2;
	right &= run_child(child, -1, false, &notices);
	check(right && rollback_to(1) == 0 && is_first(), "back to what was before a vmsplice");
	for (size_t i = 0; i < COUNT; i++)
		old += read(ends[0], bytes, PAGE) == (ssize_t)PAGE && bytes[0] == WRITE &&
		       bytes[PAGE - 1] == WRITE;
	check(old == COUNT, "the pipe has what was put there: %zu of %d pages", old, COUNT);
	close(ends[0]);
	close(ends[1]);
	stop_child();
}

static void tell(unsigned char value)
{
	size_t same = 0;

	while (!words->asked)
		usleep(1000);
	for (size_t i = 0; i < COUNT; i++)
		same += page_of(i)[0] == value && page_of(i)[PAGE - 1] == value;
	words->told = same + 1;
	_exit(0);
}

static void fork_each_round(void *unused)
{
	(void)unused;
	for (int round = 0;; round++) {
		memset(page_of(0), WRITE + round, COUNT * PAGE);
		pause_here();
		if (fork() == 0)
			tell((unsigned char)(WRITE + round));
		pause_here();
	}
}

/* Moves all memory about, and has what is the child's swapped out. */
static pid_t start_moving(bool swap)
{
	pid_t mover = fork();

	if (mover != 0)
		return mover;
	for (;;) {
		put("/proc/sys/vm/compact_memory", "1");
		if (swap)
			page_out(child, page_of(0), COUNT * PAGE);
	}
}

static size_t ask_child(void)
{
	words->told = 0;
	words->asked = true;
	for (int i = 0; i < 10000 && !words->told; i++)
		usleep(1000);
	words->asked = false;
	return words->told - 1;
}

static void test_moving(void)
{
	size_t wrong = 0;
	int round = 0;
	bool right;
	pid_t mover;

	child = spawn(own_area, fork_each_round, NULL);
	descriptor = attach(device, child);
	right = lock_area(CAPE_MODE_SNAPSHOT) == 0;
	take_copy(&first, 1);
	mover = start_moving(start_swap() == NULL);
	for (; right && round < ROUNDS; round++) {
		right = run_child(child, -1, false, &notices) && begin_epoch() > 0 &&
			run_child(child, -1, false, &notices) && rollback_to(1) == 0 && is_first();
		wrong += ask_child() != COUNT;
	}
	kill(mover, SIGKILL);
	waitpid(mover, NULL, 0);
	check(right && round == ROUNDS, "back to what was before a fork, while memory is moved");
	check(wrong == 0, "its children have what they had, in all but %zu of %d rounds", wrong,
	      round);
	stop_child();
}

int main(void)
{
	device = open_device();
	make_area();
	words = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < sizeof(trackers) / sizeof(trackers[0]); i++)
		test_tracker(&trackers[i]);
	test_guarded();
	test_pipe();
	test_moving();
	return finish();
}
