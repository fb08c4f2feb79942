/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.c - CAPE_WATCH_BYTES: every write to certain bytes is recorded, by whom it may be, and none
 * to their neighbours.
 *
 * With the argument "price" it is no test: it measures what a write costs to the watched byte, also
 * with a copy of the stack, to its page, and without a watch.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_bytes.h"
#include "uapi/cape_stack.h"

#define RECORDS 4096u
#define MANY	1000000
#define SOME	1000
#define THREADS 4
#define ROUNDS	7

/* Two instructions that write, and those after them. */
extern void store(void *at, int value);
extern void store_all(void *at, int value, size_t count);
extern const char store_next[], store_all_here[], store_all_next[];
__asm__(".text\n"
	"store:\n\t"
	"movb %sil, (%rdi)\n"
	"store_next:\n\t"
	"ret\n"
	"store_all:\n\t"
	"mov %rdx, %rcx\n\t"
	"mov %esi, %eax\n"
	"store_all_here:\n\t"
	"rep stosb\n"
	"store_all_next:\n\t"
	"ret");

/* In memory that is the child's, too. */
struct shared {
	enum { HOT, EACH, THREAD, CALL, FORK, STRING, QUIET, EXEC, TIME } what;
	size_t offset, length;
	pid_t thread;
	double seconds;
};

static unsigned char *memory; /* three pages; the one in the middle is mapped */
static struct shared *shared;
static struct notices notices;
static int device, descriptor, ring;
static struct cape_record_control *control;
static const struct cape_record_header *header;
static pid_t child;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void own_memory(void)
{
	memset(memory + PAGE, 1, PAGE);
}

/* A million writes to the page, a thousand of them to the byte. */
static void write_hot(void)
{
	volatile unsigned char *page = memory + PAGE;

	for (size_t i = 0; i < MANY; i++) {
		size_t at = (i * 7) % PAGE;

		if (i % (MANY / SOME) == 0)
			store(memory + PAGE + shared->offset, (int)(i / (MANY / SOME)));
		else
			page[at == shared->offset ? at + 1 : at] = (unsigned char)i;
	}
}

static void *write_in_thread(void *count)
{
	shared->thread = (pid_t)syscall(SYS_gettid);
	for (size_t i = 0; i < (size_t)(uintptr_t)count; i++)
		store(memory + PAGE + shared->offset, (int)i);
	return NULL;
}

static void write_in_threads(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, write_in_thread, (void *)100);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

/* The kernel writes: all of LENGTH bytes. */
static void have_kernel_write(void)
{
	int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	(void)!read(file, memory + PAGE + shared->offset, shared->length);
	close(file);
}

static void have_child_write(void)
{
	pid_t own = fork();

	if (own == 0) {
		store(memory + PAGE + shared->offset, 3);
		_exit(0);
	}
	waitpid(own, NULL, 0);
}

static void time_writes(void)
{
	volatile unsigned char *at = memory + PAGE + shared->offset;
	double begin = now();

	for (size_t i = 0; i < shared->length; i++)
		*at = (unsigned char)i;
	shared->seconds = now() - begin;
}

static void obey(void *unused)
{
	(void)unused;
	for (;; pause_here()) {
		switch (shared->what) {
		case HOT:
			write_hot();
			break;
		case EACH:
			for (size_t i = 0; i < 64; i++)
				store(memory + PAGE + i, (int)i);
			break;
		case THREAD:
			write_in_threads();
			break;
		case CALL:
			have_kernel_write();
			break;
		case FORK:
			have_child_write();
			break;
		case STRING:
			store_all(memory + PAGE + shared->offset, 5, shared->length);
			break;
		case EXEC:
			execl("/proc/self/exe", "bytes", "--wait", NULL);
			break;
		case TIME:
			time_writes();
			break;
		case QUIET:
			break;
		}
	}
}

static void map_ring(size_t size)
{
	control = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
	header = mmap(NULL, PAGE + size, PROT_READ, MAP_SHARED, ring, PAGE);
	if (control == MAP_FAILED || header == MAP_FAILED) {
		printf("Bail out! no ring: %s\n", strerror(errno));
		exit(1);
	}
}

static void make_ring(uint32_t records)
{
	struct cape_make_recorder request = {.record_count = records};

	ring = ioctl(descriptor, CAPE_MAKE_RECORDER, &request);
	map_ring(records * sizeof(struct cape_record));
}

/* In place of the one that there is. */
static void make_stack_ring(uint32_t records, uint32_t bytes)
{
	struct cape_make_stack_recorder request = {.record_count = records, .stack_bytes = bytes};

	munmap((void *)header, PAGE + header->record_count * header->record_size);
	munmap(control, PAGE);
	close(ring);
	ring = ioctl(descriptor, CAPE_MAKE_STACK_RECORDER, &request);
	map_ring(records * (sizeof(struct cape_record) + sizeof(struct cape_record_stack) + bytes));
}

static void start(uint32_t records)
{
	child = spawn(own_memory, obey, NULL);
	descriptor = attach(device, child);
	if (records)
		make_ring(records);
}

static void stop(void)
{
	if (ring >= 0) {
		munmap((void *)header, PAGE + header->record_count * header->record_size);
		munmap(control, PAGE);
		close(ring);
	}
	ring = -1;
	close(descriptor);
	reap(child);
}

static int watch_at(uint64_t address, uint64_t length, struct cape_watch_bytes *reply)
{
	struct cape_watch_bytes request = {.address = address, .length = length};
	int result = ioctl(descriptor, CAPE_WATCH_BYTES, &request);

	if (reply)
		*reply = request;
	return result;
}

/* Of the page. */
static int watch(size_t offset, size_t length)
{
	return watch_at((uintptr_t)memory + PAGE + offset, length, NULL);
}

static int end_watch(void)
{
	return watch_at(0, 0, NULL);
}

static void have(int what, size_t offset, size_t length)
{
	shared->what = what;
	shared->offset = offset;
	shared->length = length;
	run_child(child, -1, false, &notices);
}

static const struct cape_record *record(uint64_t number)
{
	const char *records = (const char *)header - PAGE + header->records_offset;

	return (const void *)(records + number % header->record_count * header->record_size);
}

/* How many there are that were not taken yet; takes them. */
static uint64_t take(void)
{
	uint64_t count = header->head - control->tail;

	control->tail = header->head;
	return count;
}

static void test_hot(void)
{
	bool right = true;

	start(RECORDS);
	check(watch(129, 1) == 0, "a byte is watched");
	have(HOT, 129, 0);
	check(header->head == SOME && header->lost == 0,
	      "of a million writes to its page the thousand to the byte are recorded");
	for (uint64_t i = 0; i < header->head; i++)
		right &= record(i)->number == i && record(i)->flags == CAPE_RECORD_WATCHED &&
			 record(i)->address == (uintptr_t)memory + PAGE + 129 &&
			 record(i)->value == (i & 255) && record(i)->thread == (uint32_t)child &&
			 record(i)->instruction == (uintptr_t)store_next;
	check(right, "each with its value, its thread and its instruction");
	take();
	have(FORK, 129, 0);
	check(take() == 0, "writes of a child are not recorded");
	have(CALL, 100, 60);
	check(take() >= 1 &&
		      record(header->head - 1)->flags ==
			      (CAPE_RECORD_WATCHED | CAPE_RECORD_BY_KERNEL) &&
		      record(header->head - 1)->system_call == SYS_read &&
		      record(header->head - 1)->value == 0,
	      "what a system call writes is");
	/* Aligned: QEMU 7.2 reports others that are anywhere in the page. */
	have(CALL, 136, 56);
	check(take() == 0, "what it writes beside the byte is not");
	have(STRING, 100, 29);
	check(take() == 0, "a string instruction that ends before it is not");
	have(STRING, 100, 60);
	check(take() == 1 && (record(header->head - 1)->instruction == (uintptr_t)store_all_here ||
			      record(header->head - 1)->instruction == (uintptr_t)store_all_next),
	      "one that goes over it is");
	check(end_watch() == 0, "the watch is ended");
	have(HOT, 129, 0);
	check(take() == 0, "nothing is recorded any more");
	check(watch(129, 1) == 0 && ioctl(descriptor, CAPE_WATCH_BYTES, NULL) < 0,
	      "it is watched again");
	have(EACH, 0, 0);
	check(take() == 0, "its neighbours are not");
	stop();
}

static void test_threads(void)
{
	bool right = true;

	start(RECORDS);
	watch(8, 1);
	have(THREAD, 8, 0);
	check(header->head == 100 * THREADS, "threads that are made later are watched");
	for (uint64_t i = 0; i < header->head; i++)
		right &= record(i)->thread != (uint32_t)child;
	check(right, "by their own ids");
	stop();
}

/* LENGTH bytes at OFFSET are watched, and no others, by BREAKPOINTS. */
static void test_size(size_t offset, size_t length, uint32_t breakpoints)
{
	struct cape_watch_bytes reply;
	bool right;

	start(RECORDS);
	right = watch_at((uintptr_t)memory + PAGE + offset, length, &reply) == 0 &&
		reply.breakpoints == breakpoints && reply.thread_count == 1;
	have(EACH, 0, 0);
	right &= header->head == length;
	for (uint64_t i = 0; i < header->head; i++) {
		uint64_t at = (uintptr_t)memory + PAGE + offset + i;

		right &= record(i)->address <= at && at - record(i)->address < 8 &&
			 ((record(i)->value >> (at - record(i)->address) * 8) & 255) == offset + i;
	}
	check(right, "%zu bytes at %zu, and no others, by %u breakpoints", length, offset,
	      breakpoints);
	stop();
}

static void test_ring(void)
{
	start(CAPE_RECORDS_LEAST);
	watch(0, 1);
	have(HOT, 0, 0);
	check(header->head == CAPE_RECORDS_LEAST && header->lost == SOME - CAPE_RECORDS_LEAST,
	      "a full ring: what is lost is counted");
	stop();
}

/* Pages and bytes at the same time. */
static void test_both(void)
{
	struct cape_extent range = {(uintptr_t)memory + PAGE, PAGE};

	start(RECORDS);
	check(watch(5, 1) == 0 && lock(descriptor, CAPE_MODE_RECORD, &range, 1) == 0,
	      "a page is locked of which a byte is watched");
	have(HOT, 5, 0);
	check(header->head == SOME + 1 && record(0)->flags == 0 && record(0)->epoch == 1 &&
		      record(1)->flags == CAPE_RECORD_WATCHED,
	      "the first write to the page is recorded, and each to the byte");
	stop();
}

static void test_refusals(void)
{
	struct cape_watch_bytes request = {.address = (uintptr_t)memory + PAGE, .length = 1};
	struct cape_make_recorder recorder = {.record_count = RECORDS};
	const uint64_t page = (uintptr_t)memory + PAGE;

	start(0);
	refuses(watch(0, 1), ENXIO, "without a recorder: ENXIO");
	make_ring(RECORDS);
	refuses(end_watch(), ENODATA, "the end of no watch: ENODATA");
	refuses(watch(0, 0), EINVAL, "no byte at an address: EINVAL");
	refuses(watch(0, 33), E2BIG, "33 bytes: E2BIG");
	refuses(watch(1, 16), E2BIG, "16 bytes that take five breakpoints: E2BIG");
	refuses(watch(0, UINT64_MAX), E2BIG, "all bytes that there are: E2BIG");
	refuses(watch_at(page - 8, 8, NULL), EFAULT, "where nothing is mapped: EFAULT");
	refuses(watch_at(page + PAGE - 8, 16, NULL), EFAULT, "half mapped: EFAULT");
	refuses(watch_at(8, 8, NULL), EFAULT, "at the beginning: EFAULT");
	refuses(watch_at(UINT64_MAX - 7, 8, NULL), EFAULT, "at the end: EFAULT");
	refuses(watch_at(0xffff888000000000, 8, NULL), EFAULT, "of the kernel: EFAULT");
	refuses(watch_at(0x7ffffffff000 - 4, 8, NULL), EFAULT, "across its border: EFAULT");
	request.flags = 1;
	refuses(ioctl(descriptor, CAPE_WATCH_BYTES, &request), EINVAL, "a flag: EINVAL");
	request.flags = 0;
	request.reserved = 1;
	refuses(ioctl(descriptor, CAPE_WATCH_BYTES, &request), EINVAL, "reserved: EINVAL");
	check(watch(0, 32) == 0, "32 bytes");
	refuses(watch(64, 1), EBUSY, "others beside them: EBUSY");
	refuses(ioctl(descriptor, CAPE_MAKE_RECORDER, &recorder), EBUSY, "a recorder: EBUSY");
	end_watch();
	check(ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[0]), page + 64) ==
			      0 &&
		      ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[7]),
			     0x10001) == 0,
	      "a debugger takes a breakpoint");
	refuses(watch(0, 32), ENOSPC, "four more: ENOSPC");
	check(watch(0, 24) == 0, "three more");
	/* Or it would die of the debugger's breakpoint. */
	shared->what = QUIET;
	ptrace(PTRACE_DETACH, child, NULL, NULL);
	refuses(end_watch(), EPERM, "not the tracer any more: EPERM");
	stop();
}

static void test_ends(void)
{
	start(RECORDS);
	watch(0, 8);
	reap(child);
	refuses(end_watch(), ESRCH, "the process has ended: ESRCH");
	stop();
	start(RECORDS);
	watch(0, 8);
	shared->what = EXEC;
	ptrace(PTRACE_CONT, child, NULL, NULL);
	waitpid(child, NULL, 0);
	refuses(end_watch(), ESRCH, "it executes something else: ESRCH");
	check(take() == 0, "of which nothing is recorded");
	stop();
	for (int i = 0; i < 10; i++) {
		start(RECORDS);
		watch(0, 32);
		shared->what = THREAD;
		ptrace(PTRACE_CONT, child, NULL, NULL);
		usleep((unsigned)i * 1000);
		stop();
	}
	start(0);
	check(attach(device, child) < 0 && errno == EBUSY, "closed while threads write");
	stop();
}

static int by_value(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

/* Nanoseconds for each of COUNT writes at OFFSET. */
static double price(size_t offset, size_t count)
{
	double seconds[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		have(TIME, offset, count);
		seconds[i] = shared->seconds;
		take();
	}
	qsort(seconds, ROUNDS, sizeof(seconds[0]), by_value);
	return seconds[ROUNDS / 2] / (double)count * 1e9;
}

static int measure(void)
{
	double alone;

	start(RECORDS);
	alone = price(129, MANY);
	watch(129, 1);
	printf("write_ns %.1f\nwrite_to_page_ns %.1f\nwatched_write_ns %.1f\n", alone,
	       price(2000, MANY), price(129, SOME));
	end_watch();
	make_stack_ring(RECORDS, 512);
	watch(129, 1);
	printf("with_stack_of_512_ns %.1f\n", price(129, SOME));
	stop();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--wait") == 0)
		return (int)pause();
	device = open_device();
	ring = -1;
	/* Where nothing else comes to be mapped beside it. */
	memory = (unsigned char *)0x200000000;
	mmap(memory + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
	     -1, 0);
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc > 1 && strcmp(argv[1], "price") == 0)
		return measure();
	test_hot();
	test_threads();
	test_size(0, 1, 1);
	test_size(3, 2, 2);
	test_size(4, 4, 1);
	test_size(8, 8, 1);
	test_size(1, 8, 4);
	test_size(16, 32, 4);
	test_ring();
	test_both();
	test_refusals();
	test_ends();
	return finish();
}
