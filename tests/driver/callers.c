/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callers.c - who may make requests, on which process, and until when.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
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
#include <unistd.h>
#include "module.h"

#define PAGES	256
#define THREADS 8

static int device;
static unsigned char *memory;
static struct collected collected;
static struct notices notices;

static void write_all(void *argument)
{
	(void)argument;
	for (size_t i = 0; i < PAGES; i++)
		memory[i * PAGE] = 2;
}

/* How many of the requests of a process give ERROR; those that only tell are told apart. */
static int requests_that_give(int error, int descriptor, int *telling)
{
	static unsigned char bytes[PAGE];
	struct cape_extent range = {(uintptr_t)memory, PAGE};
	struct cape_lock lock = {
		.mode = CAPE_MODE_NOTIFY, .ranges = (uintptr_t)&range, .range_count = 1};
	struct cape_page page = {(uintptr_t)memory};
	struct cape_capture capture = {.address = (uintptr_t)memory, .twin = (uintptr_t)bytes};
	struct cape_collect collect = {.pages = (uintptr_t)bytes, .page_capacity = 1};
	struct cape_access access = {(uintptr_t)memory, 8, (uintptr_t)bytes, 0, 0, 0};
	struct cape_status status = {0};
	struct cape_statistics statistics;
	const struct {
		unsigned long number;
		void *argument;
	} request[] = {
		{CAPE_LOCK, &lock},
		{CAPE_UNLOCK_PAGE, &page},
		{CAPE_CAPTURE_PAGE, &capture},
		{CAPE_COLLECT, &collect},
		{CAPE_READ_RANGE, &access},
		{CAPE_WRITE_RANGE, &access},
		{CAPE_UNLOCK, NULL},
		{CAPE_GET_STATUS, &status},
		{CAPE_GET_STATISTICS, &statistics},
	};
	int acting = 0;

	*telling = 0;
	for (size_t i = 0; i < 9; i++) {
		int got = ioctl(descriptor, request[i].number, request[i].argument) < 0 ? errno : 0;

		*(i < 7 ? &acting : telling) += got == error;
	}
	return acting;
}

static uint32_t mode_of(int descriptor)
{
	struct cape_status status = {0};

	return ioctl(descriptor, CAPE_GET_STATUS, &status) == 0 ? status.mode : UINT32_MAX;
}

static void *wait_for_end(void *argument)
{
	pause();
	return argument;
}

static void start_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_end, NULL);
}

static pid_t other_thread_of(pid_t process)
{
	char name[64];
	pid_t found = 0;

	for (pid_t id = process + 1; id < process + 100 && !found; id++) {
		snprintf(name, sizeof(name), "/proc/%d/task/%d", process, id);
		if (access(name, F_OK) == 0)
			found = id;
	}
	return found;
}

static void test_attaching(void)
{
	const pid_t wrong[] = {0, -1, INT32_MIN, INT32_MAX, 4000000};
	pid_t child = fork(), traced;
	int first;

	if (child == 0) {
		pause();
		_exit(0);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refuses(attach(device, wrong[i]), ESRCH, "attach to process %d: ESRCH", wrong[i]);
	refuses(attach(device, getpid()), EPERM, "to oneself: EPERM");
	refuses(attach(device, getppid()), EPERM, "to the parent: EPERM");
	refuses(attach(device, 1), EPERM, "to init: EPERM");
	refuses(attach(device, 2), EPERM, "to a kernel thread: EPERM");
	refuses(attach(device, child), EPERM, "to a child that is not traced: EPERM");
	reap(child);
	refuses(attach(device, child), ESRCH, "to one that has ended: ESRCH");
	traced = spawn(start_thread, write_all, NULL);
	refuses(attach(device, other_thread_of(traced)), ESRCH, "to a thread of it: ESRCH");
	first = attach(device, traced);
	check(first >= 0, "to a traced process");
	check(fcntl(first, F_GETFD) == FD_CLOEXEC, "the descriptor is closed by execve");
	refuses(attach(device, traced), EBUSY, "twice: EBUSY");
	close(first);
	first = attach(device, traced);
	check(first >= 0, "again, after the first was closed");
	close(first);
	reap(traced);
}

static void trace_me_and_stop(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
}

static int stop_and_end(void *argument)
{
	(void)argument;
	trace_me_and_stop();
	return 0;
}

/* A process that shares the caller's memory would be locked together with the caller. */
static void test_own_memory(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	pid_t child = clone(stop_and_end, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);

	waitpid(child, NULL, 0);
	refuses(attach(device, child), EINVAL, "to a process with the caller's own memory: EINVAL");
	reap(child);
}

static void test_rights(void)
{
	pid_t child = fork(), traced;
	int status;

	if (child == 0) {
		/* As root's monitor of a program that gave up its rights, and may not be read. */
		traced = fork();
		if (traced == 0) {
			prctl(PR_SET_DUMPABLE, 0);
			trace_me_and_stop();
		}
		waitpid(traced, NULL, 0);
		status = setresuid(1, 1, 1);
		if (attach(device, traced) < 0)
			status += errno != EPERM;
		else
			status += 2;
		if (open(CAPE_DEVICE, O_RDWR) >= 0 || errno != EACCES)
			status += 4;
		kill(traced, SIGKILL);
		_exit(status);
	}
	waitpid(child, &status, 0);
	check(status == 0, "without rights: no process that may not be read, no device (%#x)",
	      status);
}

/* Takes CAP_IPC_LOCK away, and lets no more than 16 pages be locked. */
static void limit_locked_memory(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){16 * PAGE, 16 * PAGE}) < 0 ||
	    syscall(SYS_capget, &header, data) < 0)
		abort();
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	data[0].permitted &= ~(1u << CAP_IPC_LOCK);
	if (syscall(SYS_capset, &header, data) < 0)
		abort();
}

/* Bit by bit, what went wrong. */
static int lock_with_limit(void)
{
	struct cape_extent many = {(uintptr_t)memory, PAGES * PAGE};
	struct cape_extent few = {(uintptr_t)memory, 8 * PAGE};
	int descriptor, wrong = 0;
	pid_t traced;

	limit_locked_memory();
	traced = spawn(NULL, write_all, NULL);
	descriptor = attach(device, traced);
	wrong |= lock(descriptor, CAPE_MODE_SNAPSHOT, &many, 1) == 0 || errno != ENOMEM;
	if (mode_of(descriptor) != CAPE_MODE_UNLOCKED)
		wrong |= 2;
	for (int i = 0; i < 5; i++) {
		if (lock(descriptor, CAPE_MODE_SNAPSHOT, &few, 1) < 0)
			wrong |= 4;
		if (i == 4)
			run_child(traced, descriptor, false, &notices);
		if (i == 4 && !collect(descriptor, 4, true, CAPE_COLLECT_UNLOCK, &collected))
			wrong |= 8;
		ioctl(descriptor, CAPE_UNLOCK, 0);
	}
	if (lock(descriptor, CAPE_MODE_SNAPSHOT, &few, 1) < 0)
		wrong |= 16;
	reap(traced);
	return wrong;
}

/* At most so many pages that never were can be unlocked. */
static int unlock_with_limit(void)
{
	struct cape_extent vast = {1ul << 40, 1ul << 40};
	struct cape_page page = {vast.start};
	pid_t traced;
	int descriptor, count = 0;

	limit_locked_memory();
	traced = spawn(NULL, write_all, NULL);
	descriptor = attach(device, traced);
	for (int i = 0; i < 5; i++) {
		if (lock(descriptor, CAPE_MODE_SNAPSHOT, &vast, 1) < 0)
			return 100;
		count = 0;
		for (page.address = vast.start; count < 50; page.address += 2 << 20, count++)
			if (ioctl(descriptor, CAPE_UNLOCK_PAGE, &page) < 0)
				break;
		if (errno != ENOMEM)
			return 101;
		ioctl(descriptor, CAPE_UNLOCK, 0);
	}
	reap(traced);
	return count;
}

static void test_limit(void)
{
	pid_t tracer = fork();
	int status;

	if (tracer == 0)
		_exit(lock_with_limit());
	waitpid(tracer, &status, 0);
	check(status == 0, "RLIMIT_MEMLOCK: so many twins and no more, time after time (%#x)",
	      status);
	tracer = fork();
	if (tracer == 0)
		_exit(unlock_with_limit());
	waitpid(tracer, &status, 0);
	check(WEXITSTATUS(status) == 8, "what it takes to unlock counts, too (%d pages)",
	      WEXITSTATUS(status));
}

/* Is the struct of one without rights as it was? */
static bool is_untouched(int descriptor)
{
	struct cape_statistics statistics;
	const unsigned char *bytes = (const unsigned char *)&statistics;

	memset(&statistics, 0x55, sizeof(statistics));
	return ioctl(descriptor, CAPE_GET_STATISTICS, &statistics) < 0 && errno == EPERM &&
	       bytes[0] == 0x55 && memcmp(bytes, bytes + 1, sizeof(statistics) - 1) == 0;
}

static void test_strangers(void)
{
	pid_t traced = spawn(NULL, write_all, NULL), stranger;
	int descriptor = attach(device, traced), status, telling;

	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0, "lock");
	stranger = fork();
	if (stranger == 0)
		_exit(requests_that_give(EPERM, descriptor, &telling) + telling);
	waitpid(stranger, &status, 0);
	check(WEXITSTATUS(status) == 9, "a child that inherits the descriptor: EPERM (%d of 9)",
	      WEXITSTATUS(status));
	check(mode_of(descriptor) == CAPE_MODE_SNAPSHOT, "and nothing has changed");
	stranger = fork();
	if (stranger == 0)
		_exit(!is_untouched(descriptor));
	waitpid(stranger, &status, 0);
	check(status == 0, "nor has the struct that it gave");
	ptrace(PTRACE_DETACH, traced, NULL, NULL);
	check(requests_that_give(EPERM, descriptor, &telling) + telling == 8,
	      "after PTRACE_DETACH: EPERM, but who has locked may unlock");
	close(descriptor);
	reap(traced);
}

/* Locks a process of another, and lets go of it, but not of the descriptor. */
static void lock_and_detach(int from, int to)
{
	pid_t traced;
	int descriptor;

	if (read(from, &traced, sizeof(traced)) != sizeof(traced) ||
	    ptrace(PTRACE_SEIZE, traced, NULL, NULL) < 0 ||
	    ptrace(PTRACE_INTERRUPT, traced, NULL, NULL) < 0 ||
	    waitpid(traced, NULL, __WALL) != traced)
		_exit(1);
	descriptor = attach(device, traced);
	if (lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) < 0 ||
	    ptrace(PTRACE_DETACH, traced, NULL, NULL) < 0 || write(to, "", 1) != 1)
		_exit(1);
	pause();
}

static void test_next_tracer(void)
{
	pid_t traced = fork(), first;
	int down[2], up[2], descriptor;
	char byte;

	if (traced == 0)
		for (;;)
			pause();
	if (pipe(down) < 0 || pipe(up) < 0)
		abort();
	first = fork();
	if (first == 0)
		lock_and_detach(down[0], up[1]);
	if (write(down[1], &traced, sizeof(traced)) != sizeof(traced))
		abort();
	check(read(up[0], &byte, 1) == 1 && ptrace(PTRACE_SEIZE, traced, NULL, NULL) == 0 &&
		      ptrace(PTRACE_INTERRUPT, traced, NULL, NULL) == 0 &&
		      waitpid(traced, NULL, __WALL) == traced,
	      "a tracer that has locked detaches, and another one comes");
	descriptor = attach(device, traced);
	check(descriptor >= 0 && mode_of(descriptor) == CAPE_MODE_UNLOCKED &&
		      lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0,
	      "which can attach, and lock");
	close(descriptor);
	for (size_t i = 0; i < 2; i++)
		close(down[i]), close(up[i]);
	kill(first, SIGKILL);
	reap(traced);
}

static void execute(void *argument)
{
	write_all(NULL);
	execl("/proc/self/exe", "callers", argument, NULL);
	_exit(1);
}

static void test_exec(uint32_t mode)
{
	pid_t traced = spawn(NULL, execute, "--wait");
	int descriptor = attach(device, traced), next, telling;
	char status[64];

	snprintf(status, sizeof(status), "/proc/%d/status", traced);
	check(lock(descriptor, mode, NULL, 0) == 0, "lock");
	/* The new program's SIGTRAP comes first. */
	run_child(traced, descriptor, true, &notices);
	check(requests_that_give(ESRCH, descriptor, &telling) == 7, "after execve: ESRCH");
	check(mode_of(descriptor) == CAPE_MODE_UNLOCKED, "nothing is locked any more");
	check(field(status, "THP_enabled") == 1, "the new program gets huge pages");
	next = attach(device, traced);
	check(next >= 0 && lock(next, mode, NULL, 0) == 0, "the new program can be attached");
	close(next);
	close(descriptor);
	reap(traced);
}

static void test_exit(uint32_t mode)
{
	pid_t traced = spawn(NULL, write_all, NULL);
	int descriptor = attach(device, traced), telling;
	struct cape_status status = {0};
	siginfo_t info;

	check(lock(descriptor, mode, NULL, 0) == 0, "lock");
	kill(traced, SIGKILL);
	waitid(P_PID, (id_t)traced, &info, WEXITED | WNOWAIT);
	check(requests_that_give(ESRCH, descriptor, &telling) == 7, "a zombie: ESRCH");
	waitpid(traced, NULL, 0);
	check(requests_that_give(ESRCH, descriptor, &telling) == 7, "after exit: ESRCH");
	check(ioctl(descriptor, CAPE_GET_STATUS, &status) == 0 &&
		      status.mode == CAPE_MODE_UNLOCKED && status.twin_count == 0,
	      "and no twin is held");
	refuses(attach(device, traced), ESRCH, "it cannot be attached: ESRCH");
	close(descriptor);
}

struct crowd {
	int descriptor;
	pid_t traced;
	unsigned member;
	volatile bool *over;
	unsigned wrong, done;
};

/* Errors that requests in any order may give. */
static bool is_expected(int error)
{
	return error == 0 || error == EBUSY || error == ENODATA || error == ENOENT;
}

static void *make_requests(void *argument)
{
	struct crowd *crowd = argument;
	unsigned char bytes[PAGE];
	int telling;

	while (!*crowd->over) {
		int expected = requests_that_give(0, crowd->descriptor, &telling);
		int again = attach(device, crowd->traced);
		struct cape_capture capture = {.address = (uintptr_t)memory + PAGE,
					       .twin = (uintptr_t)bytes};

		crowd->wrong += telling != 2 || expected < 2 || again >= 0 || errno != EBUSY;
		if (ioctl(crowd->descriptor, CAPE_CAPTURE_PAGE, &capture) < 0)
			crowd->wrong += !is_expected(errno);
		if (lock(crowd->descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) < 0)
			crowd->wrong += !is_expected(errno);
		if (crowd->member % 2 && ioctl(crowd->descriptor, CAPE_UNLOCK, 0) < 0)
			crowd->wrong += !is_expected(errno);
		crowd->done++;
	}
	return NULL;
}

static void write_for_long(void *argument)
{
	volatile bool *over = argument;

	while (!*over)
		write_all(NULL);
}

static void test_crowd(void)
{
	volatile bool *over =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t traced = spawn(NULL, write_for_long, (void *)over);
	struct crowd crowd[THREADS];
	pthread_t thread[THREADS];
	unsigned done = 0, wrong = 0;
	int descriptor = attach(device, traced);

	for (unsigned i = 0; i < THREADS; i++) {
		crowd[i] = (struct crowd){descriptor, traced, i, over, 0, 0};
		pthread_create(&thread[i], NULL, make_requests, &crowd[i]);
	}
	/* Only this thread can let the process go on after a notice. */
	ptrace(PTRACE_CONT, traced, NULL, NULL);
	for (int stops = 0; stops < 300; stops++) {
		waitpid(traced, NULL, WNOHANG);
		ptrace(PTRACE_CONT, traced, NULL, NULL);
		usleep(10000);
	}
	*over = true;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		done += crowd[i].done;
		wrong += crowd[i].wrong;
	}
	check(done > THREADS && wrong == 0, "8 threads at once: %u rounds, %u wrong", done, wrong);
	close(descriptor);
	reap(traced);
	munmap((void *)over, PAGE);
}

static void test_after_all(void)
{
	pid_t traced;
	int descriptor;

	memset(memory, 1, PAGES * PAGE);
	traced = spawn(NULL, write_all, NULL);
	descriptor = attach(device, traced);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0 &&
		      run_child(traced, -1, false, &notices) &&
		      collect(descriptor, 64, true, 0, &collected) &&
		      collected_within(&collected, memory, PAGES * PAGE) == PAGES,
	      "it still works after all these");
	close(descriptor);
	reap(traced);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--wait") == 0) {
		raise(SIGSTOP);
		return 0;
	}
	device = open_device();
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	memset(memory, 1, PAGES * PAGE);
	test_attaching();
	test_own_memory();
	test_rights();
	test_limit();
	test_strangers();
	test_next_tracer();
	for (uint32_t mode = CAPE_MODE_SNAPSHOT; mode <= CAPE_MODE_NOTIFY; mode++) {
		test_exec(mode);
		test_exit(mode);
	}
	test_crowd();
	test_after_all();
	return finish();
}
