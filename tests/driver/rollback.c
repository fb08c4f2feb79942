/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rollback.c - CAPE_ROLLBACK: after it a process's memory is what it was, whatever it did to it,
 * and the process does the same once more.
 *
 * The child is a fork: what it had when it was locked is what the parent still has.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define PAGES	      64
#define HUGE	      (2ul << 20)
#define ROUNDS	      3
#define SHARED_ROUNDS 100

/* What the child tells, and is told, in memory that is not put back. */
struct told {
	unsigned rounds;
	bool go_on;
	bool child_sees_its_own;
	unsigned char *new_mapping, *heap;
};

static unsigned char data[PAGES * PAGE] __attribute__((aligned(4096))) = {7};
static unsigned char *memory, *file, *fresh, *large, *heap, *huge_file;
static volatile struct told *told;
static struct collected collected;
static struct notices notices;

static unsigned char *map(size_t length, int flags, int from)
{
	return mmap(NULL, length, PROT_READ | PROT_WRITE, flags, from, 0);
}

static void make_memory(void)
{
	unsigned char bytes[PAGE];
	int descriptor = open("/tmp/pages", O_RDWR | O_CREAT | O_TRUNC, 0600);

	memset(bytes, 'f', sizeof(bytes));
	for (int i = 0; i < PAGES; i++)
		if (write(descriptor, bytes, sizeof(bytes)) != sizeof(bytes))
			abort();
	told = (void *)map(PAGE, MAP_SHARED | MAP_ANONYMOUS, -1);
	memory = map(PAGES * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	memset(memory, 1, PAGES * PAGE);
	file = map(PAGES * PAGE, MAP_PRIVATE, descriptor);
	fresh = map(PAGES * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	large = map(2 * HUGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	large = (unsigned char *)(((uintptr_t)large + HUGE - 1) & -HUGE);
	memset(large, 3, HUGE);
	heap = sbrk(PAGES * PAGE);
	heap = (unsigned char *)(((uintptr_t)heap + PAGE - 1) & -PAGE);
	memset(heap, 4, (PAGES - 1) * PAGE);
	close(descriptor);
}

static void prepare(void)
{
	own_pages(memory, PAGES * PAGE);
	own_pages(data, PAGES * PAGE);
	madvise(large, HUGE, MADV_DONTNEED);
	madvise(large, HUGE, MADV_HUGEPAGE);
	memset(large, 3, HUGE);
}

static void set(unsigned char *start, size_t page, size_t count)
{
	memset(start + page * PAGE + 5, 0x55, count * PAGE - 10);
}

/* All that can be done to memory but to move it away. */
static void change_all(void *unused)
{
	(void)unused;
	told->rounds++;
	mprotect(memory + PAGE, PAGE, PROT_READ | PROT_WRITE);
	set(data, 3, 2);
	set(memory, 1, 3);
	set(memory, 10, 4);
	madvise(memory + 12 * PAGE, 4 * PAGE, MADV_DONTNEED);
	munmap(memory + 20 * PAGE, 4 * PAGE);
	if (mmap(memory + 20 * PAGE, 4 * PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		abort();
	set(memory, 21, 1);
	*(volatile unsigned char *)(memory + 22 * PAGE);
	set(memory, 30, 1);
	mprotect(memory + 30 * PAGE, 2 * PAGE, PROT_READ);
	set(file, 2, 2);
	set(file, 7, 1);
	madvise(file + 7 * PAGE, PAGE, MADV_DONTNEED);
	set(fresh, 4, 3);
	set(large, 100, 3);
	set(heap, 1, 2);
	told->new_mapping = map(PAGE * PAGES, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	set((unsigned char *)told->new_mapping, 0, 3);
	told->heap = sbrk(10 * PAGE);
	memset((unsigned char *)told->heap, 9, 10 * PAGE);
	mprotect(memory + 30 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE);
	/* Protections are not put back, but what is below is. */
	mprotect(memory + PAGE, PAGE, PROT_READ);
}

static int rollback(int descriptor, struct cape_rollback *request)
{
	memset(request, 0, sizeof(*request));
	return ioctl(descriptor, CAPE_ROLLBACK, request);
}

/* How many of PAGES bytes at START differ between the child and us; -1 if it cannot be read. */
static long differing(int descriptor, const unsigned char *start, size_t length)
{
	static unsigned char theirs[HUGE];
	struct cape_access access = {(uintptr_t)start, length, (uintptr_t)theirs, 0, 0, 0};
	long count = 0;

	if (ioctl(descriptor, CAPE_READ_RANGE, &access) < 0)
		return -1;
	for (size_t i = 0; i < length; i++)
		count += theirs[i] != start[i];
	return count;
}

static void check_as_before(int descriptor, const char *how)
{
	const struct {
		const char *name;
		unsigned char *start;
		size_t length;
	} region[] = {
		{"data", data, sizeof(data)},
		{"mmap", memory, PAGES * PAGE},
		{"a private file mapping", file, PAGES * PAGE},
		{"memory never touched", fresh, PAGES * PAGE},
		{"a huge page", large, HUGE},
		{"brk", heap, (PAGES - 1) * PAGE},
	};

	for (size_t i = 0; i < sizeof(region) / sizeof(region[0]); i++) {
		long wrong = differing(descriptor, region[i].start, region[i].length);

		check(wrong == 0, "%s, %s: as it was (%ld wrong)", how, region[i].name, wrong);
	}
	check(collect(descriptor, 64, true, 0, &collected) && collected.count == 0,
	      "%s: nothing counts as written (%zu)", how, collected.count);
}

static bool is_zero(int descriptor, const volatile unsigned char *at, size_t length)
{
	static unsigned char bytes[PAGES * PAGE];
	struct cape_access access = {(uintptr_t)at, length, (uintptr_t)bytes, 0, 0, 0};

	memset(bytes, 1, sizeof(bytes));
	if (ioctl(descriptor, CAPE_READ_RANGE, &access) < 0)
		return false;
	for (size_t i = 0; i < length; i++)
		if (bytes[i])
			return false;
	return true;
}

/* The same again and again, with the same notices. */
static void test_rounds(int device, uint32_t mode)
{
	const char *name = mode == CAPE_MODE_NOTIFY ? "notify" : "snapshot";
	struct user_regs_struct registers;
	pid_t child = spawn(prepare, change_all, NULL);
	int descriptor = attach(device, child);
	size_t told_once = 0;

	told->rounds = 0;
	check(lock(descriptor, mode, NULL, 0) == 0, "%s: lock", name);
	ptrace(PTRACE_GETREGS, child, NULL, &registers);
	for (unsigned round = 1; round <= ROUNDS; round++) {
		struct cape_rollback request;
		bool is_back;
		char how[64];

		snprintf(how, sizeof(how), "%s, round %u", name, round);
		check(run_child(child, -1, false, &notices) && told->rounds == round,
		      "%s: the process does its work", how);
		check(differing(descriptor, data, sizeof(data)) == 2 * PAGE - 10,
		      "%s: its memory is another", how);
		is_back = rollback(descriptor, &request) == 0;
		check(is_back && request.page_count > 20,
		      "%s: rollback (%llu pages, error at %#llx)", how,
		      (unsigned long long)request.page_count, (unsigned long long)request.address);
		check(request.new_bytes >= (PAGES + 10) * PAGE,
		      "%s: it tells of what was mapped since (%llu)", how,
		      (unsigned long long)request.new_bytes);
		check_as_before(descriptor, how);
		check(is_zero(descriptor, told->new_mapping, PAGES * PAGE) &&
			      is_zero(descriptor, told->heap, 10 * PAGE),
		      "%s: what was mapped since is zero", how);
		ptrace(PTRACE_SETREGS, child, NULL, &registers);
		if (round == 1)
			told_once = notices.count;
		check(notices.count == told_once &&
			      (notices.count > 20) == (mode == CAPE_MODE_NOTIFY),
		      "%s: %zu notices", how, notices.count);
	}
	close(descriptor);
	reap(child);
}

static void map_over_page(size_t page, int protection, int flags)
{
	if (mmap(memory + page * PAGE, PAGE, protection, flags | MAP_FIXED | MAP_ANONYMOUS, -1,
		 0) == MAP_FAILED)
		abort();
}

static void lose_mapping(void *unused)
{
	(void)unused;
	set(memory, 1, 1);
	pause_here();
	munmap(memory + 9 * PAGE, PAGE);
	pause_here();
	map_over_page(9, PROT_READ, MAP_SHARED);
	pause_here();
	map_over_page(9, PROT_READ | PROT_WRITE, MAP_PRIVATE);
}

static void write_forever(void *unused)
{
	(void)unused;
	for (;;)
		set(memory, 2, 1);
}

static void refuses_at(int descriptor, const unsigned char *address, const char *what)
{
	struct cape_rollback request;

	refuses(rollback(descriptor, &request), ESTALE, "%s: ESTALE", what);
	check(request.address == (uintptr_t)address && request.page_count == 0 &&
		      differing(descriptor, memory + PAGE, PAGE) == PAGE - 10,
	      "%s: where, and nothing has changed", what);
}

static void test_refusals(int device)
{
	struct cape_rollback request;
	struct cape_page page = {(uintptr_t)memory + 5 * PAGE + 3};
	pid_t child = spawn(prepare, lose_mapping, NULL);
	int descriptor = attach(device, child);

	request = (struct cape_rollback){.page_count = 1, .new_bytes = 1, .address = 1};
	refuses(ioctl(descriptor, CAPE_ROLLBACK, &request), ENODATA, "without a lock: ENODATA");
	check(request.page_count == 0 && request.new_bytes == 0 && request.address == 0,
	      "and nothing is told");
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0 &&
		      run_child(child, -1, false, &notices),
	      "a process is locked, and writes");
	run_child(child, -1, false, &notices);
	refuses_at(descriptor, memory + 9 * PAGE, "memory that is not mapped any more");
	run_child(child, -1, false, &notices);
	refuses_at(descriptor, memory + 9 * PAGE, "memory in whose place is another's");
	run_child(child, -1, false, &notices);
	check(rollback(descriptor, &request) == 0 &&
		      differing(descriptor, memory, PAGES * PAGE) == 0,
	      "memory that was mapped anew is put back");
	ioctl(descriptor, CAPE_UNLOCK_PAGE, &page);
	refuses(rollback(descriptor, &request), ESTALE, "a page that was unlocked: ESTALE");
	check(request.address == (page.address & -PAGE), "which one");
	close(descriptor);
	reap(child);
}

static void test_running(int device)
{
	struct cape_rollback request;
	pid_t child = spawn(prepare, write_forever, NULL);
	int descriptor = attach(device, child);

	lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	while (differing(descriptor, memory, PAGES * PAGE) == 0)
		usleep(1000);
	refuses(rollback(descriptor, &request), EBUSY, "a process that runs: EBUSY");
	kill(child, SIGSTOP);
	waitpid(child, NULL, 0);
	check(rollback(descriptor, &request) == 0 &&
		      differing(descriptor, memory, PAGES * PAGE) == 0,
	      "and when it was stopped it is put back");
	close(descriptor);
	reap(child);
}

/* The new process says what it sees when it is told to. */
static void fork_and_write(void *unused)
{
	pid_t child;

	(void)unused;
	set(memory, 3, 1);
	child = fork();
	if (child == 0) {
		while (!told->go_on)
			usleep(1000);
		told->child_sees_its_own = memory[3 * PAGE + 5] == 0x55 && memory[4 * PAGE] == 1;
		_exit(0);
	}
	pause_here();
	waitpid(child, NULL, 0);
}

static void test_fork(int device)
{
	struct user_regs_struct registers;
	struct cape_rollback request;
	pid_t child = spawn(prepare, fork_and_write, NULL);
	int descriptor = attach(device, child);

	told->go_on = told->child_sees_its_own = false;
	lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0);
	check(run_child(child, -1, false, &notices), "a process writes and forks");
	ptrace(PTRACE_GETREGS, child, NULL, &registers);
	check(rollback(descriptor, &request) == 0 &&
		      differing(descriptor, memory, PAGES * PAGE) == 0,
	      "its memory is put back");
	told->go_on = true;
	for (int i = 0; i < 5000 && !told->child_sees_its_own; i++)
		usleep(1000);
	check(told->child_sees_its_own, "its child still has what was written");
	close(descriptor);
	reap(child);
}

static void write_some(void *unused)
{
	(void)unused;
	set(memory, 5, 8);
	set(file, 5, 2);
}

static void test_swap(int device)
{
	const char *no_swap = start_swap();
	struct cape_rollback request;
	pid_t child = spawn(prepare, write_some, NULL);
	int descriptor = attach(device, child);

	page_out(child, memory, PAGES * PAGE);
	lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0);
	run_child(child, -1, false, &notices);
	page_out(child, memory, PAGES * PAGE);
	page_out(child, file, PAGES * PAGE);
	check(rollback(descriptor, &request) == 0 &&
		      differing(descriptor, memory, PAGES * PAGE) == 0 &&
		      differing(descriptor, file, PAGES * PAGE) == 0,
	      "pages that were swapped out are put back%s%s", no_swap ? " # SKIP " : "",
	      no_swap ? no_swap : "");
	/* What was put back is not lost by being swapped out. */
	page_out(child, memory, PAGES * PAGE);
	ioctl(descriptor, CAPE_UNLOCK, 0);
	page_out(child, memory, PAGES * PAGE);
	check(differing(descriptor, memory, PAGES * PAGE) == 0, "and swapped out once more");
	close(descriptor);
	reap(child);
}

/* Bytes of files that a process has by huge pages. */
static long mapped_huge(pid_t process)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", process);
	return field(path, "FilePmdMapped") + field(path, "ShmemPmdMapped");
}

static void map_huge_file(void)
{
	int descriptor = open("/tmp/huge/file", O_RDWR | O_CREAT, 0600);

	if (ftruncate(descriptor, HUGE) < 0 ||
	    mmap(huge_file, HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, descriptor, 0) !=
		    huge_file)
		abort();
	close(descriptor);
}

/* Maps the file anew, and has all of it by a huge page of the file's. */
static void read_huge_page(void *unused)
{
	(void)unused;
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	munmap(huge_file, HUGE);
	map_huge_file();
	told->rounds = huge_file[0];
}

static void write_to_huge_file(void)
{
	prepare();
	set(huge_file, 5, 1);
}

static void test_huge_file(int device)
{
	struct cape_rollback request;
	unsigned char *reserved = map(2 * HUGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	pid_t child;
	bool there, is_back;
	int descriptor;

	mkdir("/tmp/huge", 0700);
	if (mount("huge", "/tmp/huge", "tmpfs", 0, "huge=always") < 0)
		abort();
	huge_file = (unsigned char *)(((uintptr_t)reserved + HUGE - 1) & -HUGE);
	map_huge_file();
	child = spawn(write_to_huge_file, read_huge_page, NULL);
	set(huge_file, 5, 1);
	descriptor = attach(device, child);
	lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0);
	run_child(child, -1, false, &notices);
	there = mapped_huge(child) > 0;
	is_back = rollback(descriptor, &request) == 0;
	check(is_back && differing(descriptor, huge_file, HUGE) == 0,
	      "a file's huge page where the process had a page of its own, error at %#llx%s",
	      (unsigned long long)request.address, there ? "" : " # SKIP no huge page");
	close(descriptor);
	reap(child);
	munmap(reserved, 2 * HUGE);
}

/* As for DMA: page 6 stays pinned. */
static void pin(void)
{
	struct io_uring_params parameters = {0};
	struct iovec page = {memory + 6 * PAGE, PAGE};
	int ring = (int)syscall(SYS_io_uring_setup, 1, &parameters);

	prepare();
	told->go_on = syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &page, 1) == 0;
}

static void test_pinned(int device)
{
	struct cape_extent memories[2] = {{(uintptr_t)memory, PAGES * PAGE},
					  {(uintptr_t)file, PAGES * PAGE}};
	struct cape_rollback request;
	pid_t child;
	int descriptor;

	told->go_on = false;
	child = spawn(pin, write_some, NULL);
	descriptor = attach(device, child);
	if (!told->go_on)
		printf("# no io_uring here: nothing is pinned\n");
	if (file < memory)
		memories[0].start = (uintptr_t)file, memories[1].start = (uintptr_t)memory;
	lock(descriptor, CAPE_MODE_SNAPSHOT, memories, 2);
	run_child(child, -1, false, &notices);
	check(rollback(descriptor, &request) == 0 &&
		      differing(descriptor, memory, PAGES * PAGE) == 0,
	      "a pinned page is put back");
	check(request.page_count == 10, "and counted once (%llu)",
	      (unsigned long long)request.page_count);
	check(collect(descriptor, 64, true, 0, &collected) &&
		      collected.count == (told->go_on ? 1 : 0) &&
		      (!told->go_on || collected.page[0].flags == CAPE_DIRTY_PINNED),
	      "and still counts as pinned");
	close(descriptor);
	reap(child);
}

static void test_range(int device)
{
	struct cape_extent range = {(uintptr_t)memory + 6 * PAGE, 3 * PAGE};
	struct cape_rollback request;
	pid_t child = spawn(prepare, write_some, NULL);
	int descriptor = attach(device, child);

	lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1);
	run_child(child, -1, false, &notices);
	check(rollback(descriptor, &request) == 0 && request.page_count == 3 &&
		      request.new_bytes == 0,
	      "of a range, its pages are put back");
	check(differing(descriptor, memory + 6 * PAGE, 3 * PAGE) == 0 &&
		      differing(descriptor, memory, PAGES * PAGE) == 5 * PAGE - 10,
	      "and no others");
	close(descriptor);
	reap(child);
}

/* New memory in the place of a huge page's, where there may be one again. */
static void map_large_anew(void *unused)
{
	(void)unused;
	munmap(large, HUGE);
	if (mmap(large, HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		abort();
	madvise(large, HUGE, MADV_HUGEPAGE);
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

static void test_huge(int device)
{
	struct cape_rollback request;
	pid_t child = spawn(prepare, map_large_anew, NULL);
	int descriptor = attach(device, child);

	lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0);
	run_child(child, -1, false, &notices);
	check(rollback(descriptor, &request) == 0 && differing(descriptor, large, HUGE) == 0,
	      "a huge page that was unmapped is put back where there may be one again");
	close(descriptor);
	reap(child);
}

/* Writes to all pages, all the time, in a process of its own that has the memory, too. */
static int share_and_write(void *unused)
{
	(void)unused;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		for (size_t page = 0; page < PAGES; page++)
			++*(volatile unsigned char *)(memory + page * PAGE + 8);
	return 0;
}

static void start_sharer(void)
{
	static unsigned char stack[4 * PAGE] __attribute__((aligned(16)));

	prepare();
	if (clone(share_and_write, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL) < 0)
		abort();
}

static bool read_locked(int descriptor, unsigned char *bytes)
{
	struct cape_access access = {(uintptr_t)memory, PAGES * PAGE, (uintptr_t)bytes, 0, 0, 0};

	return ioctl(descriptor, CAPE_READ_LOCKED, &access) == 0;
}

/* Whoever writes meanwhile, and has translations of before: twins stay what they were. */
static void test_shared(int device)
{
	static unsigned char first[PAGES * PAGE], now[PAGES * PAGE];
	struct cape_rollback request;
	pid_t child = spawn(start_sharer, write_some, NULL);
	int descriptor = attach(device, child), done = 0, same = 0;

	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0 && read_locked(descriptor, first),
	      "a process whose memory another writes to is locked");
	for (int round = 0; round < SHARED_ROUNDS; round++) {
		/* So that it has translations by which it may write. */
		do
			collect(descriptor, 64, false, 0, &collected);
		while (collected_within(&collected, memory, PAGES * PAGE) < PAGES);
		done += rollback(descriptor, &request) == 0;
		same += read_locked(descriptor, now) && memcmp(first, now, sizeof(now)) == 0;
	}
	check(done == SHARED_ROUNDS && same == SHARED_ROUNDS,
	      "it is put back %d times; %d times the twins are as they were", done, same);
	close(descriptor);
	reap(child);
}

int main(void)
{
	int device = open_device();

	put("/sys/kernel/mm/transparent_hugepage/enabled", "madvise");
	make_memory();
	for (uint32_t mode = CAPE_MODE_SNAPSHOT; mode <= CAPE_MODE_NOTIFY; mode++)
		test_rounds(device, mode);
	test_refusals(device);
	test_running(device);
	test_fork(device);
	test_swap(device);
	test_pinned(device);
	test_range(device);
	test_huge_file(device);
	test_huge(device);
	test_shared(device);
	return finish();
}
