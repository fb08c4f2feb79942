/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder.c - who wrote: one record for each first write, by whom and from where, however the ring
 * is mapped, filled, lied to and let go of.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "module.h"

#define PAGES	64
#define THREADS 4
#define SIZE	(PAGES * PAGE)
#define RECORDS 256u
#define PATIENT 120000 /* ms, for what comes at once if it comes */

/* An instruction that writes, and the one that its function returns to: to be found in records. */
extern void store(void *at);
extern const char store_here[], store_return[];
__asm__(".text\n"
	"store:\n\t"
	"push %rbp\n\t"
	"mov %rsp, %rbp\n\t"
	"call 1f\n"
	"store_return:\n\t"
	"pop %rbp\n\t"
	"ret\n"
	"1:\tpush %rbp\n\t"
	"mov %rsp, %rbp\n"
	"store_here:\n\t"
	"movb $7, (%rdi)\n\t"
	"pop %rbp\n\t"
	"ret");

/* A recorder of ours, mapped. */
struct ring {
	int descriptor;
	size_t size; /* of header and records */
	struct cape_record_control *control;
	const struct cape_record_header *header;
};

static unsigned char *memory;
static int device;
static struct cape_extent range;
static struct collected collected;
static struct notices notices;

static void own_memory(void)
{
	memset(memory, 1, SIZE);
}

/* What it may, for a while.  Who changes its user is not to be looked into, nor its children. */
static void be_user(uid_t user)
{
	if (seteuid(user) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0)
		abort();
}

static int make_recorder(int descriptor, uint32_t count, uint32_t flags)
{
	struct cape_make_recorder request = {count, flags};

	return ioctl(descriptor, CAPE_MAKE_RECORDER, &request);
}

static uint64_t head_of(const struct ring *ring)
{
	return __atomic_load_n(&ring->header->head, __ATOMIC_ACQUIRE);
}

static const struct cape_record *record_at(const struct ring *ring, uint64_t number)
{
	return (const void *)((const char *)ring->header - PAGE + ring->header->records_offset +
			      number % ring->header->record_count * ring->header->record_size);
}

/* Always true: without a ring there is nothing to test, and this is the end. */
static bool map_ring(struct ring *ring, int descriptor, uint32_t count)
{
	ring->descriptor = descriptor;
	ring->size = PAGE + count * sizeof(struct cape_record);
	ring->control = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	ring->header = mmap(NULL, ring->size, PROT_READ, MAP_SHARED, descriptor, PAGE);
	if (ring->control == MAP_FAILED || ring->header == MAP_FAILED) {
		printf("Bail out! no ring: %s\n", strerror(errno));
		exit(1);
	}
	return true;
}

static bool open_ring(struct ring *ring, int attached, uint32_t count)
{
	return map_ring(ring, make_recorder(attached, count, 0), count);
}

static void close_ring(struct ring *ring)
{
	munmap(ring->control, PAGE);
	munmap((void *)ring->header, ring->size);
	close(ring->descriptor);
}

static short poll_ring(const struct ring *ring, int timeout)
{
	struct pollfd ready = {.fd = ring->descriptor, .events = POLLIN};

	return poll(&ready, 1, timeout) > 0 ? ready.revents : 0;
}

/* The record of a write to PAGE's page, of those from FROM on; COUNT: how many there are. */
static const struct cape_record *find(const struct ring *ring, uint64_t from, const void *page,
				      size_t *count)
{
	const struct cape_record *found = NULL;

	*count = 0;
	for (uint64_t i = from; i < head_of(ring); i++) {
		if ((record_at(ring, i)->address & -PAGE) != ((uintptr_t)page & -PAGE))
			continue;
		found = record_at(ring, i);
		++*count;
	}
	return found;
}

/* Writes pages to which ARGUMENT points, until the first that is negative; then it waits. */
static void write_some(void *argument)
{
	const volatile int *page = argument;

	for (;;) {
		for (int i = 0; page[i] >= 0; i++)
			memory[(size_t)page[i] * PAGE + 5]++;
		pause_here();
	}
}

static volatile int *shared_list(void)
{
	return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* COUNT pages from FIRST on. */
static void list_pages(volatile int *list, int first, int count)
{
	for (int i = 0; i < count; i++)
		list[i] = first + i;
	list[count] = -1;
}

static void test_input(void)
{
	static const uint32_t wrong[] = {0, 1, 8, 15, 17, 255, 1u << 21, 1u << 31, UINT32_MAX};
	pid_t child = spawn(own_memory, write_some, NULL), other;
	int descriptor = attach(device, child), status;
	struct rlimit limit, little = {64 << 10, 64 << 10};
	struct ring ring;

	refuses(lock(descriptor, CAPE_MODE_RECORD, &range, 1), ENXIO, "no recorder, no lock");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refuses(make_recorder(descriptor, wrong[i], 0), EINVAL, "%u records", wrong[i]);
	refuses(make_recorder(descriptor, RECORDS, 1), EINVAL, "an unknown flag");
	refuses(make_recorder(descriptor, RECORDS, UINT32_MAX), EINVAL, "all flags");
	other = fork();
	if (other == 0)
		_exit(make_recorder(descriptor, RECORDS, 0) >= 0 || errno != EPERM);
	waitpid(other, &status, 0);
	check(status == 0, "EPERM for who does not trace the process");
	getrlimit(RLIMIT_MEMLOCK, &limit);
	little.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_MEMLOCK, &little);
	be_user(1000);
	refuses(make_recorder(descriptor, RECORDS, 0), ENOMEM,
		"more than an ordinary user's limit");
	check(open_ring(&ring, descriptor, 2 * CAPE_RECORDS_LEAST), "less than that");
	be_user(0);
	setrlimit(RLIMIT_MEMLOCK, &limit);
	check(lock(descriptor, CAPE_MODE_RECORD, &range, 1) == 0, "lock");
	refuses(make_recorder(descriptor, RECORDS, 0), EBUSY, "another one while it records");
	ioctl(descriptor, CAPE_UNLOCK, 0);
	check(poll_ring(&ring, 0) == 0, "nothing is ready");
	status = make_recorder(descriptor, CAPE_RECORDS_LEAST, 0);
	check(status >= 0 && poll_ring(&ring, 0) == POLLHUP,
	      "another one then: the first has ended");
	close(status);
	close_ring(&ring);
	close(descriptor);
	reap(child);
}

static void *map(int descriptor, size_t length, int protection, int flags, size_t offset)
{
	return mmap(NULL, length, protection, flags, descriptor, (off_t)offset);
}

#define does_not_map(error, name, ...)                                                             \
	do {                                                                                       \
		errno = 0;                                                                         \
		check(map(__VA_ARGS__) == MAP_FAILED && errno == (error), name);                   \
	} while (0)

static void test_mappings(void)
{
	const size_t all = 2 * PAGE + RECORDS * sizeof(struct cape_record);
	const int both = PROT_READ | PROT_WRITE;
	pid_t child = spawn(own_memory, write_some, NULL);
	int descriptor = attach(device, child);
	int recorder = make_recorder(descriptor, RECORDS, 0);
	const struct cape_record_header *header;
	struct cape_record_control *whole;
	struct ring ring, twice;

	check(map_ring(&ring, recorder, RECORDS), "a recorder is mapped");
	check(map_ring(&twice, recorder, RECORDS), "and once more");
	header = ring.header;
	check(header->version == CAPE_RECORD_VERSION && header->records_offset == 2 * PAGE &&
		      header->record_size == sizeof(struct cape_record) &&
		      header->record_count == RECORDS && header->head == 0 && header->lost == 0 &&
		      header->stack_offset == 0 && header->reserved == 0,
	      "the header says how it is laid out");
	ring.control->tail = 77;
	check(twice.control->tail == 77, "both are the same");
	ring.control->tail = 0;
	whole = map(recorder, all, PROT_READ, MAP_SHARED, 0);
	check(whole != MAP_FAILED, "all of it to read");
	errno = 0;
	check(mprotect(whole, PAGE, both) < 0 && errno == EACCES, "which stays so");
	errno = 0;
	check(mprotect((void *)ring.header, PAGE, both) < 0 && errno == EACCES,
	      "as does the header");
	munmap(whole, all);
	does_not_map(EPERM, "the header is not to be written to", recorder, PAGE, both, MAP_SHARED,
		     PAGE);
	does_not_map(EPERM, "nor a record", recorder, PAGE, PROT_WRITE, MAP_SHARED, 2 * PAGE);
	does_not_map(EPERM, "nor all", recorder, all, both, MAP_SHARED, 0);
	does_not_map(EPERM, "nor a page behind the first", recorder, 2 * PAGE, both, MAP_SHARED, 0);
	does_not_map(EINVAL, "there are no private mappings", recorder, PAGE, both, MAP_PRIVATE, 0);
	does_not_map(EINVAL, "more than there is", recorder, all + PAGE, PROT_READ, MAP_SHARED, 0);
	does_not_map(EINVAL, "behind the end", recorder, PAGE, PROT_READ, MAP_SHARED, all);
	does_not_map(EINVAL, "far behind the end", recorder, PAGE, PROT_READ, MAP_SHARED,
		     1ul << 62);
	errno = 0;
	check(mremap((void *)ring.header, ring.size, ring.size + PAGE, MREMAP_MAYMOVE) ==
			      MAP_FAILED &&
		      errno == EFAULT,
	      "mappings do not grow");
	does_not_map(ENODEV, "the attach descriptor is none to map", descriptor, PAGE, PROT_READ,
		     MAP_SHARED, 0);
	close_ring(&twice);
	munmap(ring.control, PAGE);
	munmap((void *)ring.header, ring.size);
	close(descriptor);
	reap(child);
}

/* What the child does, and tells. */
struct told {
	pid_t thread[THREADS];
	bool written[PAGES];
};

static struct told *told;

static void tell(size_t page)
{
	store(memory + page * PAGE + 9);
	memory[page * PAGE]++;
	told->written[page] = true;
}

static void *write_share(void *argument)
{
	size_t self = (size_t)argument;

	told->thread[self] = (pid_t)syscall(SYS_gettid);
	for (size_t page = 0; page < 8; page++)
		tell(self * 10 + page);
	return NULL;
}

/* Writes by threads, by instructions of its own and by the kernel; reads are none. */
static void act(void *unused)
{
	pthread_t thread[THREADS];
	volatile unsigned char seen;
	int ends[2];

	(void)unused;
	seen = memory[9 * PAGE];
	for (size_t i = 1; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, write_share, (void *)i) != 0)
			abort();
	write_share((void *)0);
	for (size_t i = 1; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	if (pipe(ends) < 0 || write(ends[1], "12345678", 8) != 8 ||
	    read(ends[0], memory + 51 * PAGE - 4, 8) != 8)
		abort();
	told->written[50] = told->written[51] = true;
	seen = memory[60 * PAGE];
	(void)seen;
}

/* How many pages have another number of records than one if they were written, else none. */
static size_t count_wrong(const struct ring *ring)
{
	size_t wrong = 0, count;

	for (size_t page = 0; page < PAGES; page++) {
		find(ring, 0, memory + page * PAGE, &count);
		wrong += count != told->written[page];
	}
	return wrong;
}

static bool by_thread(const struct ring *ring, size_t thread)
{
	bool well = true;
	size_t count;

	for (size_t page = 0; page < 8; page++) {
		const struct cape_record *record =
			find(ring, 0, memory + (10 * thread + page) * PAGE, &count);

		well = well && record && (pid_t)record->thread == told->thread[thread] &&
		       record->address == (uintptr_t)memory + (10 * thread + page) * PAGE + 9 &&
		       record->instruction == (uintptr_t)store_here && record->user_depth > 1 &&
		       record->user_stack[0] == (uintptr_t)store_here &&
		       record->user_stack[1] == (uintptr_t)store_return && !record->flags &&
		       record->system_call == -1 && !record->kernel_depth && record->epoch == 1 &&
		       record->cpu < (uint32_t)sysconf(_SC_NPROCESSORS_CONF) && !record->reserved;
	}
	return well;
}

/* KERNEL_STACK: whether it is to be told. */
static bool by_kernel(const struct ring *ring, bool kernel_stack)
{
	bool well = true;
	size_t count;

	for (size_t page = 50; page <= 51; page++) {
		const struct cape_record *record = find(ring, 0, memory + page * PAGE, &count);

		well = well && record && record->flags == CAPE_RECORD_BY_KERNEL &&
		       record->system_call == SYS_read && record->user_depth > 0 &&
		       (pid_t)record->thread == told->thread[0] &&
		       record->instruction == record->user_stack[0] &&
		       (record->kernel_depth > 2) == kernel_stack &&
		       (record->kernel_stack[0] >> 63) == kernel_stack;
	}
	return well;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static bool in_order(const struct ring *ring, uint64_t from, uint64_t until)
{
	for (uint64_t i = 0; i < head_of(ring); i++) {
		const struct cape_record *record = record_at(ring, i);

		if (record->number != i || record->time < from || record->time > until)
			return false;
	}
	return true;
}

static bool as_collected(const struct ring *ring, int descriptor)
{
	bool well = collect(descriptor, PAGES, false, 0, &collected) &&
		    collected.count == head_of(ring);
	size_t count;

	for (size_t i = 0; i < collected.count; i++)
		well = well && find(ring, 0, (void *)(uintptr_t)collected.page[i].address, &count);
	return well;
}

/* ALLOWED: by a tracer that may see the kernel's stack. */
static void test_records(bool allowed)
{
	const char *how = allowed ? "" : ", by an ordinary user";
	pid_t child;
	struct ring ring;
	size_t wrong;
	int descriptor;
	uint64_t begin;

	memset(told, 0, sizeof(*told));
	child = spawn(own_memory, act, NULL);
	descriptor = attach(device, child);
	if (!allowed)
		be_user(1000);
	check(open_ring(&ring, descriptor, RECORDS), "a recorder%s", how);
	be_user(0);
	begin = now();
	check(lock(descriptor, CAPE_MODE_RECORD, &range, 1) == 0, "lock%s", how);
	check(run_child(child, descriptor, false, &notices) && notices.count == 0,
	      "the process runs, and is not stopped%s", how);
	wrong = count_wrong(&ring);
	check(wrong == 0 && ring.header->lost == 0,
	      "exactly one record for each page written%s (%zu wrong)", how, wrong);
	for (size_t i = 0; i < THREADS; i++)
		check(by_thread(&ring, i), "by thread %zu, with its stack%s", i, how);
	check(by_kernel(&ring, allowed), "by the kernel for read(2)%s", how);
	check(in_order(&ring, begin, now()), "with number and time%s", how);
	check(as_collected(&ring, descriptor), "and CAPE_COLLECT tells the same pages%s", how);
	close_ring(&ring);
	close(descriptor);
	reap(child);
}

static bool writes(pid_t child, int descriptor, volatile int *list, int first, int count)
{
	list_pages(list, first, count);
	return run_child(child, descriptor, false, &notices) && notices.count == 0;
}

static bool relock(int descriptor)
{
	ioctl(descriptor, CAPE_UNLOCK, 0);
	return lock(descriptor, CAPE_MODE_RECORD, &range, 1) == 0;
}

static void test_full(void)
{
	volatile int *list = shared_list();
	pid_t child = spawn(own_memory, write_some, (void *)list);
	int descriptor = attach(device, child);
	struct cape_rollback rollback = {0};
	struct ring ring;
	size_t count;

	check(open_ring(&ring, descriptor, CAPE_RECORDS_LEAST), "the smallest recorder");
	check(relock(descriptor) && writes(child, descriptor, list, 0, 40) &&
		      head_of(&ring) == 16 && ring.header->lost == 24,
	      "40 writes into a ring of 16: 24 are lost, and counted");
	check(poll_ring(&ring, 0) == POLLIN, "what is there is ready");
	ring.control->tail = 16;
	check(poll_ring(&ring, 0) == 0, "and read");
	check(relock(descriptor) && writes(child, descriptor, list, 10, 5) &&
		      head_of(&ring) == 21 && record_at(&ring, 16)->number == 40 &&
		      record_at(&ring, 16)->epoch == 2,
	      "there is room again; the numbers tell of the gap, and the epoch of the lock");
	check(ioctl(descriptor, CAPE_ROLLBACK, &rollback) == 0 && rollback.page_count == 5,
	      "it is rolled back");
	check(writes(child, descriptor, list, 10, 3) && head_of(&ring) == 24 &&
		      find(&ring, 21, memory + 10 * PAGE, &count) && count == 1,
	      "and the same pages are written for the first time again");
	for (int i = 0; i < 4; i++) {
		static const uint64_t lies[] = {25, UINT64_MAX, 1ull << 63, 7};
		uint64_t lost = ring.header->lost;

		ring.control->tail = lies[i];
		check(relock(descriptor) && writes(child, descriptor, list, 20, 6) &&
			      head_of(&ring) == 24 && ring.header->lost == lost + 6,
		      "a tail of %#llx is a full ring", (unsigned long long)lies[i]);
	}
	close_ring(&ring);
	close(descriptor);
	reap(child);
}

static void *wait_for_record(void *ring)
{
	return (void *)(intptr_t)poll_ring(ring, PATIENT);
}

static void test_wait(void)
{
	volatile int *list = shared_list();
	pid_t child = spawn(own_memory, write_some, (void *)list);
	int descriptor = attach(device, child);
	struct ring ring;
	pthread_t waiter;
	void *events;

	check(open_ring(&ring, descriptor, RECORDS) && relock(descriptor),
	      "a recorder to wait for");
	if (pthread_create(&waiter, NULL, wait_for_record, &ring) != 0)
		abort();
	check(writes(child, descriptor, list, 0, 1), "a write");
	pthread_join(waiter, &events);
	check((intptr_t)events == POLLIN, "wakes who waits");
	ring.control->tail = 1;
	if (pthread_create(&waiter, NULL, wait_for_record, &ring) != 0)
		abort();
	kill(child, SIGKILL);
	reap(child);
	pthread_join(waiter, &events);
	check((intptr_t)events == POLLHUP, "so does the end of the process");
	close(descriptor);
	close_ring(&ring);
}

/* Who uses a recorder goes, one after the other: the ring, its descriptor, the process's. */
static void test_ends(void)
{
	volatile int *list = shared_list();
	pid_t child = spawn(own_memory, write_some, (void *)list), other;
	int descriptor = attach(device, child), status;
	struct cape_status state = {0};
	struct ring ring;

	check(open_ring(&ring, descriptor, RECORDS) && relock(descriptor), "a recorder to let go");
	other = fork();
	if (other == 0) {
		ring.control->tail = 0;
		_exit(head_of(&ring) != 0);
	}
	waitpid(other, &status, 0);
	check(status == 0, "a child of the tracer has it, too, and ends");
	munmap(ring.control, PAGE);
	check(writes(child, descriptor, list, 0, 3) && head_of(&ring) == 3,
	      "it records when the control page is not mapped any more");
	ioctl(descriptor, CAPE_UNLOCK, 0);
	check(writes(child, descriptor, list, 0, 3) && head_of(&ring) == 3, "not when unlocked");
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1) == 0 &&
		      writes(child, descriptor, list, 3, 3) && head_of(&ring) == 3,
	      "nor when locked in another mode");
	check(relock(descriptor), "locked again");
	close(descriptor);
	check(poll_ring(&ring, 0) == (POLLIN | POLLHUP),
	      "the attach descriptor is closed: the end");
	close(ring.descriptor);
	check(record_at(&ring, 2)->epoch == 1, "its records are there as long as the mapping");
	descriptor = attach(device, child);
	check(descriptor >= 0 && ioctl(descriptor, CAPE_GET_STATUS, &state) == 0 &&
		      state.mode == CAPE_MODE_UNLOCKED,
	      "though mapped, it has let go of the process");
	munmap((void *)ring.header, ring.size);
	close(descriptor);
	reap(child);
}

/* In a process of its own, which does not clean up. */
static void leave_mapped(void)
{
	volatile int *list = shared_list();
	pid_t child = spawn(own_memory, write_some, (void *)list);
	int descriptor = attach(device, child);
	struct ring ring;

	_exit(!open_ring(&ring, descriptor, RECORDS) || !relock(descriptor) ||
	      !writes(child, descriptor, list, 0, 5) || head_of(&ring) != 5);
}

int main(void)
{
	pid_t other;
	int status;

	device = open_device();
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	told = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	range = (struct cape_extent){(uintptr_t)memory, SIZE};
	test_input();
	test_mappings();
	test_records(true);
	test_records(false);
	test_full();
	test_wait();
	test_ends();
	fflush(stdout);
	other = fork();
	if (other == 0)
		leave_mapped();
	waitpid(other, &status, 0);
	check(status == 0, "a tracer ends with the ring mapped and the process locked");
	return finish();
}
