/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * epochs.c - CAPE_EPOCH and what goes with it: each of several instants is seen as the test's own
 * copies have it, compared and put back, whatever the process does to its memory in between.
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
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "area.h"

#define KEPT	6
#define HELPERS 3

static struct copy copies[KEPT], present;
static unsigned char *later;
static struct notices notices;

static void write_round(void *unused)
{
	(void)unused;
	for (int round = 1;; round++) {
		memset(area + round * PAGE, 100 + round, PAGE);
		area[0] = (unsigned char)round;
		pause_here();
	}
}

static void start_rounds(void)
{
	child = spawn(own_area, write_round, NULL);
	descriptor = attach(device, child);
}

static void step_on(int64_t *epoch, struct copy *copy)
{
	run_child(child, -1, false, &notices);
	*epoch = begin_epoch();
	take_copy(copy, (uint64_t)*epoch);
}

static void test_values(void)
{
	struct cape_epoch_entry entry[KEPT];
	struct cape_epochs epochs;
	struct cape_epoch request = {0};
	int64_t epoch;
	bool right = true;

	start_rounds();
	check(lock_area(CAPE_MODE_SNAPSHOT) == 0, "an image is locked: epoch 1");
	take_copy(&copies[0], 1);
	for (int i = 1; i < 5; i++) {
		step_on(&epoch, &copies[i]);
		right &= epoch == i + 1;
	}
	check(right, "epochs are counted on");
	run_child(child, -1, false, &notices);
	for (int i = 0; i < 5; i++)
		right &= wrong_pages(&copies[i]) == 0;
	check(right, "each has the bytes of its instant");
	epochs = get_epochs(entry, 3);
	check(epochs.count == 5 && entry[0].epoch == 1 && entry[2].epoch == 3 &&
		      epochs.view == CAPE_EPOCH_NEWEST,
	      "they can be listed, as far as there is room");
	check(entry[0].twin_count == 2 && entry[1].twin_count == 2,
	      "an older one costs the pages that were written, and no more");
	check(untold_pages(&copies[1], &copies[3], 1) == 0 && pages_told[0] && pages_told[2] &&
		      pages_told[3] && !pages_told[1] && !pages_told[4] && !pages_told[5],
	      "the pages that differ are told, and no others");
	about_epoch(CAPE_VIEW, 3);
	check(about_epoch(CAPE_DROP_EPOCH, 3) == 0 && wrong_pages(&copies[1]) == 0 &&
		      wrong_pages(&copies[3]) == 0,
	      "one in the middle is dropped: the others stay what they were");
	check(ioctl(descriptor, CAPE_EPOCH, &request) == 0 && request.page_count == 2,
	      "how many pages were written is told");
	check(rollback_to(2) == 0 && wrong_pages(&copies[1]) == 0 && wrong_pages(&copies[0]) == 0,
	      "back to the second");
	take_copy(&present, 2);
	check(memcmp(present.bytes, copies[1].bytes, sizeof(present.bytes)) == 0,
	      "the process has what it had then");
	check(get_epochs(NULL, 0).count == 2 && begin_epoch() == 7,
	      "later epochs are gone, and their numbers do not come again");
	check(rollback_to(1) == 0, "back to the first");
	take_copy(&present, 1);
	check(memcmp(present.bytes, copies[0].bytes, sizeof(present.bytes)) == 0 &&
		      get_epochs(NULL, 0).count == 1,
	      "the process has what it had at first");
	check(ioctl(descriptor, CAPE_UNLOCK, 0) == 0 && get_epochs(NULL, 0).count == 0 &&
		      twins() == 0,
	      "unlocking gives up all of them");
	stop_child();
}

/* The byte at an address, or -1 and errno. */
static int read_epoch(uint64_t epoch, off_t address)
{
	unsigned char byte;
	struct cape_read_epoch request = {
		.address = (uint64_t)address,
		.length = 1,
		.buffer = (uintptr_t)&byte,
		.epoch = epoch,
	};

	return ioctl(descriptor, CAPE_READ_EPOCH, &request) == 0 && request.done == 1 ? byte : -1;
}

static void test_views(void)
{
	int64_t epoch;
	unsigned char byte;
	off_t at = (off_t)(uintptr_t)(area + PAGE);

	start_rounds();
	lock_area(CAPE_MODE_SNAPSHOT);
	step_on(&epoch, &copies[1]);
	run_child(child, -1, false, &notices);
	check(pread(descriptor, &byte, 1, at) == 1 && byte == 101, "the newest is seen at first");
	check(about_epoch(CAPE_VIEW, 1) == 0 && pread(descriptor, &byte, 1, at) == 1 && byte == 1 &&
		      get_epochs(NULL, 0).view == 1,
	      "the first, when it is asked for");
	check(read_epoch(2, at) == 101 && read_epoch(CAPE_EPOCH_NEWEST, at) == 101 &&
		      pread(descriptor, &byte, 1, at) == 1 && byte == 1,
	      "the second, for who names it, though the first is viewed");
	check(about_epoch(CAPE_VIEW, 2) == 0 && read_epoch(1, at) == 1, "and the first so");
	about_epoch(CAPE_VIEW, 1);
	begin_epoch();
	refuses(read_epoch(4, at), ENOENT, "one that there is not: ENOENT");
	check(about_epoch(CAPE_DROP_EPOCH, 1) == 0 && pread(descriptor, &byte, 1, at) < 0 &&
		      errno == ENOENT,
	      "when it is dropped: ENOENT");
	check(lseek(descriptor, at, SEEK_DATA) < 0 && errno == ENOENT, "as for lseek");
	ioctl(descriptor, CAPE_UNLOCK, 0);
	lock_area(CAPE_MODE_SNAPSHOT);
	check(pread(descriptor, &byte, 1, at) == 1 && byte == 101,
	      "a new lock is seen without being asked for");
	check(about_epoch(CAPE_VIEW, 4) == 0, "and has the next number");
	stop_child();
}

static void test_given_up(void)
{
	struct cape_page page = {(uintptr_t)area + 20 * PAGE};
	int64_t epoch;
	unsigned char byte;

	start_rounds();
	lock_area(CAPE_MODE_SNAPSHOT);
	step_on(&epoch, &copies[1]);
	check(ioctl(descriptor, CAPE_UNLOCK_PAGE, &page) == 0 && about_epoch(CAPE_VIEW, 1) == 0 &&
		      pread(descriptor, &byte, 1, (off_t)page.address) < 0 && errno == ESTALE,
	      "a page that is unlocked is lost to the older epochs");
	refuses(rollback_to(1), ESTALE, "which cannot be gone back to");
	check(get_epochs(NULL, 0).count == 2, "and nothing has changed");
	check(begin_epoch() == 3 && pread(descriptor, &byte, 1, (off_t)page.address) < 0 &&
		      about_epoch(CAPE_VIEW, 3) == 0 &&
		      pread(descriptor, &byte, 1, (off_t)page.address) == 1 && byte == 1 &&
		      rollback_to(3) == 0,
	      "the next epoch has it again");
	stop_child();
}

static void test_hostile(void)
{
	struct cape_extent extent;
	struct cape_epoch epoch = {.flags = 1};
	struct cape_rollback_to to = {.epoch = 1, .flags = 1};
	struct cape_diff diff = {.from = 1, .to = 2, .extents = 8, .capacity = 1};
	struct cape_epochs list = {.entries = 8, .capacity = 1};
	struct cape_lock request = {.mode = CAPE_MODE_SNAPSHOT, .flags = CAPE_LOCK_CHECK};
	struct cape_epoch_number number = {1, 0, 1};
	struct cape_read_epoch read = {.epoch = 1, .flags = 1};

	start_rounds();
	refuses(begin_epoch(), ENODATA, "CAPE_EPOCH without a lock: ENODATA");
	refuses(about_epoch(CAPE_DROP_EPOCH, 1), ENODATA, "CAPE_DROP_EPOCH: likewise");
	refuses(about_epoch(CAPE_VIEW, 1), ENODATA, "CAPE_VIEW: likewise");
	refuses(rollback_to(1), ENODATA, "CAPE_ROLLBACK_TO: likewise");
	refuses(ioctl(descriptor, CAPE_DIFF, &diff), ENODATA, "CAPE_DIFF: likewise");
	lock_area(CAPE_MODE_SNAPSHOT);
	refuses(ioctl(descriptor, CAPE_EPOCH, &epoch), EINVAL, "CAPE_EPOCH with a flag: EINVAL");
	refuses(ioctl(descriptor, CAPE_EPOCH, 8), EFAULT, "CAPE_EPOCH at a bad address: EFAULT");
	check(get_epochs(NULL, 0).count == 1, "and there is no more than the first");
	refuses(about_epoch(CAPE_DROP_EPOCH, 1), EBUSY, "the only epoch cannot be dropped: EBUSY");
	refuses(about_epoch(CAPE_DROP_EPOCH, 0), EBUSY, "nor as the newest");
	refuses(about_epoch(CAPE_DROP_EPOCH, 77), ENOENT, "one that is not there: ENOENT");
	refuses(about_epoch(CAPE_VIEW, UINT64_MAX), ENOENT, "CAPE_VIEW of one: likewise");
	refuses(ioctl(descriptor, CAPE_VIEW, &number), EINVAL, "CAPE_VIEW, reserved: EINVAL");
	refuses(ioctl(descriptor, CAPE_READ_EPOCH, &read), EINVAL,
		"CAPE_READ_EPOCH with a flag: EINVAL");
	refuses(ioctl(descriptor, CAPE_DROP_EPOCH, &number), EINVAL, "CAPE_DROP_EPOCH: likewise");
	refuses(rollback_to(2), ENOENT, "CAPE_ROLLBACK_TO one that is not there: ENOENT");
	refuses(ioctl(descriptor, CAPE_ROLLBACK_TO, &to), EINVAL,
		"CAPE_ROLLBACK_TO with a flag: EINVAL");
	refuses(ioctl(descriptor, CAPE_DIFF, &diff), ENOENT,
		"CAPE_DIFF to one that is not there: ENOENT");
	run_child(child, -1, false, &notices);
	begin_epoch();
	refuses(ioctl(descriptor, CAPE_DIFF, &diff), EFAULT, "CAPE_DIFF to a bad address: EFAULT");
	diff = (struct cape_diff){.from = 2, .to = 1, .extents = (uintptr_t)&extent, .capacity = 1};
	refuses(ioctl(descriptor, CAPE_DIFF, &diff), EINVAL, "CAPE_DIFF the other way: EINVAL");
	diff.to = 2;
	refuses(ioctl(descriptor, CAPE_DIFF, &diff), EINVAL, "CAPE_DIFF of one: EINVAL");
	diff = (struct cape_diff){.from = 1, .to = 2, .extents = (uintptr_t)&extent};
	refuses(ioctl(descriptor, CAPE_DIFF, &diff), EINVAL, "CAPE_DIFF without room: EINVAL");
	diff.capacity = 1;
	diff.cursor = 77;
	refuses(ioctl(descriptor, CAPE_DIFF, &diff), EINVAL, "CAPE_DIFF, no cursor: EINVAL");
	diff.cursor = (uint64_t)-PAGE;
	check(ioctl(descriptor, CAPE_DIFF, &diff) == 0 && diff.count == 0 &&
		      diff.cursor == CAPE_CURSOR_END,
	      "CAPE_DIFF beyond everything: nothing");
	refuses(ioctl(descriptor, CAPE_GET_EPOCHS, &list), EFAULT,
		"CAPE_GET_EPOCHS to a bad address: EFAULT");
	list.capacity = 0;
	refuses(ioctl(descriptor, CAPE_GET_EPOCHS, &list), EINVAL, "without room there: EINVAL");
	ioctl(descriptor, CAPE_UNLOCK, 0);
	ioctl(descriptor, CAPE_LOCK, &request);
	refuses(begin_epoch(), EOPNOTSUPP, "CAPE_EPOCH after CAPE_LOCK_CHECK: EOPNOTSUPP");
	stop_child();
}

static void test_limits(void)
{
	int made = 1;

	start_rounds();
	lock_area(CAPE_MODE_SNAPSHOT);
	take_copy(&copies[0], 1);
	while (begin_epoch() > 0)
		made++;
	check(errno == ENOSPC && made == CAPE_EPOCHS_MOST, "%d epochs, and no more: ENOSPC", made);
	run_child(child, -1, false, &notices);
	check(wrong_pages(&copies[0]) == 0 && rollback_to(1) == 0 && begin_epoch() > 0,
	      "the first is still there");
	stop_child();
}

/* As another user, who may lock few pages. */
static void test_memory_limit(void)
{
	struct rlimit few = {(PAGES / 2 + 1) * PAGE, (PAGES / 2 + 1) * PAGE}, old;
	int64_t first;
	bool right;

	getrlimit(RLIMIT_MEMLOCK, &old);
	start_rounds();
	setrlimit(RLIMIT_MEMLOCK, &few);
	/* Capabilities of others are given up with the effective user. */
	if (seteuid(65534) < 0)
		abort();
	right = lock_area(CAPE_MODE_SNAPSHOT) == 0 || errno == EPERM;
	if (errno == EPERM) {
		if (seteuid(0) < 0)
			abort();
		check(true, "epochs beyond RLIMIT_MEMLOCK # SKIP another user may not trace here");
		setrlimit(RLIMIT_MEMLOCK, &old);
		stop_child();
		return;
	}
	take_copy(&copies[0], 1);
	first = begin_epoch();
	run_child(child, -1, false, &notices);
	check(right && first == 2 && begin_epoch() < 0 && errno == ENOMEM,
	      "more twins than RLIMIT_MEMLOCK lets: ENOMEM");
	check(get_epochs(NULL, 0).count == 2 && wrong_pages(&copies[0]) == 0 && rollback_to(1) == 0,
	      "and nothing has changed");
	if (seteuid(0) < 0)
		abort();
	setrlimit(RLIMIT_MEMLOCK, &old);
	stop_child();
}

/* Threads that write all the time. */

static void *count_on(void *argument)
{
	volatile uint64_t *counter = (uint64_t *)(void *)(area + (uintptr_t)argument * 8 * PAGE);

	for (uint64_t i = 1;; i++)
		for (int page = 0; page < 4; page++)
			counter[(size_t)page * PAGE / sizeof(*counter)] = i;
	return NULL;
}

static void count_in_threads(void *unused)
{
	pthread_t thread;

	(void)unused;
	memset(area, 0, 8 * HELPERS * PAGE);
	for (uintptr_t i = 0; i < HELPERS; i++)
		pthread_create(&thread, NULL, count_on, (void *)i);
	for (;;)
		pause();
}

static bool let_go_on(void)
{
	int status, threads = 0;
	pid_t thread;

	ptrace(PTRACE_CONT, child, NULL, NULL);
	while (threads < 2 * HELPERS && (thread = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status))
			return false;
		threads++;
		ptrace(PTRACE_CONT, thread, NULL, NULL);
	}
	return threads == 2 * HELPERS;
}

static bool read_counters(uint64_t epoch, uint64_t counter[HELPERS][4])
{
	if (about_epoch(CAPE_VIEW, epoch) < 0)
		return false;
	for (int i = 0; i < HELPERS; i++)
		for (int page = 0; page < 4; page++)
			if (pread(descriptor, &counter[i][page], 8,
				  (off_t)(uintptr_t)(area + (i * 8 + page) * PAGE)) != 8)
				return false;
	return true;
}

static void test_threads(void)
{
	static uint64_t counter[2][100][HELPERS][4];
	bool right, grown = true, same = true;
	int count = 0;

	child = spawn(own_area, count_in_threads, NULL);
	descriptor = attach(device, child);
	right = lock_area(CAPE_MODE_SNAPSHOT) == 0 && let_go_on();
	for (; right && count < 60; count++) {
		usleep(2000);
		right = begin_epoch() == count + 2 &&
			read_counters((uint64_t)count + 2, counter[0][count]);
		if (count % 7 == 3)
			right &= about_epoch(CAPE_DROP_EPOCH, (uint64_t)count) == 0;
	}
	check(right && count == 60, "epochs of a process whose threads write all the time");
	for (int i = 1; i < count; i++)
		for (int j = 0; j < HELPERS * 4; j++)
			grown &= counter[0][i][j / 4][j % 4] >= counter[0][i - 1][j / 4][j % 4];
	check(grown && counter[0][59][0][0] > counter[0][0][0][0],
	      "each is later than the one before");
	for (int i = 0; i < count; i++)
		if (about_epoch(CAPE_VIEW, (uint64_t)i + 2) == 0)
			same &= read_counters((uint64_t)i + 2, counter[1][i]) &&
				memcmp(counter[0][i], counter[1][i], sizeof(counter[0][i])) == 0;
	check(same, "what they see stays the same");
	refuses(rollback_to(2), EBUSY, "a process that runs is not put back: EBUSY");
	check(get_epochs(NULL, 0).count > 40, "and keeps its epochs");
	stop_child();
}

static void be_another(void *unused)
{
	(void)unused;
	area[0]++;
	pause_here();
	execl("/bin/busybox", "sleep", "1000", NULL);
}

static void test_end(void)
{
	int64_t epoch;
	int status;

	child = spawn(own_area, be_another, NULL);
	descriptor = attach(device, child);
	lock_area(CAPE_MODE_SNAPSHOT);
	step_on(&epoch, &copies[1]);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	waitpid(child, &status, 0);
	check(epoch == 2 && WIFSTOPPED(status) && get_epochs(NULL, 0).count == 0,
	      "after execve there are no epochs");
	refuses(begin_epoch(), ESRCH, "and none can be begun");
	stop_child();
}

/* The whole image, with registers, from two instants in turn: what a fuzzer does. */
static void test_whole_image(void)
{
	struct user_regs_struct registers[2];
	unsigned char byte;
	bool right = true;

	start_rounds();
	right = lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0;
	ptrace(PTRACE_GETREGS, child, NULL, &registers[0]);
	run_child(child, -1, false, &notices);
	run_child(child, -1, false, &notices);
	right &= begin_epoch() == 2;
	ptrace(PTRACE_GETREGS, child, NULL, &registers[1]);
	for (int i = 0; right && i < 20; i++) {
		struct cape_access access = {(uintptr_t)area, 1, (uintptr_t)&byte, 0, 0, 0};
		int which = i < 15;

		run_child(child, -1, false, &notices);
		right = rollback_to((uint64_t)which + 1) == 0;
		ptrace(PTRACE_SETREGS, child, NULL, &registers[which]);
		right &= run_child(child, -1, false, &notices) &&
			 ioctl(descriptor, CAPE_READ_RANGE, &access) == 0 &&
			 byte == (which ? 3 : 1);
	}
	check(right, "a process goes on from either of two instants, again and again");
	stop_child();
}

/* Told by a child of the child's, of its pages, when it is asked. */
static volatile struct {
	bool asked, told;
	unsigned char seen[2];
} * grandchild;

static void fork_after_write(void *unused)
{
	(void)unused;
	memset(area + PAGE, 77, 2 * PAGE);
	pause_here();
	if (fork() == 0) {
		while (!grandchild->asked)
			usleep(1000);
		grandchild->seen[0] = area[PAGE];
		grandchild->seen[1] = area[3 * PAGE - 1];
		grandchild->told = true;
		_exit(0);
	}
	pause_here();
}

/* Twins of an epoch that a child of the process has, too. */
static void test_fork(void)
{
	bool right;

	grandchild = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = spawn(own_area, fork_after_write, NULL);
	descriptor = attach(device, child);
	right = lock_area(CAPE_MODE_SNAPSHOT) == 0;
	take_copy(&copies[0], 1);
	right &= run_child(child, -1, false, &notices) && begin_epoch() == 2;
	right &= run_child(child, -1, false, &notices);
	check(right && rollback_to(1) == 0, "back to what was before a fork");
	take_copy(&present, 1);
	check(memcmp(present.bytes, copies[0].bytes, sizeof(present.bytes)) == 0,
	      "the process has what it had then");
	grandchild->asked = true;
	for (int i = 0; i < 5000 && !grandchild->told; i++)
		usleep(1000);
	check(grandchild->told && grandchild->seen[0] == 77 && grandchild->seen[1] == 77,
	      "its child has what it had later");
	stop_child();
}

static void test_notices(void)
{
	static struct notices told;
	bool right;

	start_rounds();
	lock_area(CAPE_MODE_NOTIFY);
	right = run_child(child, -1, false, &told) && told.count == 2;
	right &= run_child(child, -1, false, &told) && told.count == 1;
	check(right && begin_epoch() == 2 && run_child(child, -1, false, &told) && told.count == 2,
	      "a page is notified once in each epoch");
	stop_child();
}

/* A page of a file is mapped and pinned, gone, and another's is in its place. */
static void map_later(void *unused)
{
	struct io_uring_params parameters = {0};
	struct iovec page = {later, PAGE};

	(void)unused;
	mmap(later, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, area_file, 0);
	later[0] = 1;
	if (syscall(SYS_io_uring_register, syscall(SYS_io_uring_setup, 1, &parameters),
		    IORING_REGISTER_BUFFERS, &page, 1) != 0)
		puts("# no io_uring here: nothing is pinned");
	pause_here();
	munmap(later, PAGE);
	pause_here();
	mmap(later, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	later[0] = 1;
}

/* A rollback gives a page a twin where nothing was mapped when it was locked. */
static void test_later(void)
{
	struct cape_extent range = {0, PAGE};
	static struct collected collected;
	bool right;

	later = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(later, PAGE);
	range.start = (uintptr_t)later;
	child = spawn(NULL, map_later, NULL);
	descriptor = attach(device, child);
	right = lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1) == 0 &&
		run_child(child, -1, false, &notices) && rollback_to(1) == 0;
	check(right, "back to before a page was mapped that is pinned");
	right = run_child(child, -1, false, &notices) && begin_epoch() == 2;
	check(right && run_child(child, -1, false, &notices), "an epoch when it is gone");
	check(collect(descriptor, 64, true, 0, &collected) && collected.count == 1 &&
		      collected.page[0].twin_state == CAPE_TWIN_ZERO,
	      "what is mapped there then was zero");
	stop_child();
}

int main(void)
{
	device = open_device();
	make_area();
	test_values();
	test_views();
	test_given_up();
	test_hostile();
	test_limits();
	test_memory_limit();
	test_threads();
	test_end();
	test_whole_image();
	test_notices();
	test_fork();
	test_later();
	return finish();
}
