/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gone.c - what was locked is let go of though the attach descriptor is open and nobody uses it:
 * when the process was killed, also for want of memory, and when its tracer was.  Who waits for
 * records learns of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "module.h"
#include "toy/slow.h"

#define SIZE  (256ul << 20)
#define SMALL (64ul << 20)
#define PIECE (4ul << 20)
#define MOST  20000	 /* ms or more, where somebody does when it is time */
#define LONG  (6 * MOST) /* more than the kernel takes to find memory on a busy machine */

/* Shared by all the processes here. */
struct progress {
	pid_t program, holder;
	volatile bool locked, ended;
};

static int device, slow;
static unsigned char *memory;
static struct progress *progress;

static unsigned char *map(size_t size, int flags)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
}

static long kilobytes_free(void)
{
	return field("/proc/meminfo", "MemFree");
}

/* Within a second, or ten on a machine that is busy with much else. */
static bool free_becomes(long wanted)
{
	for (int tries = 0; tries < 1000 && kilobytes_free() < wanted; tries++)
		usleep(10000);
	return kilobytes_free() >= wanted;
}

static void fill_memory(void)
{
	memset(memory, 1, SIZE);
}

static void wait_for_ever(void *argument)
{
	(void)argument;
	for (;;)
		pause();
}

static long milliseconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int make_recorder(int descriptor)
{
	struct cape_make_recorder request = {.record_count = CAPE_RECORDS_LEAST};

	return ioctl(descriptor, CAPE_MAKE_RECORDER, &request);
}

/* Does who waits for its records learn that there will be no more? */
static bool is_over(int recorder)
{
	struct pollfd over = {.fd = recorder};

	return poll(&over, 1, MOST) == 1 && over.revents & POLLHUP;
}

/* Without a lock there is nobody else who looks for its end. */
static void test_unlocked(void)
{
	pid_t program = spawn(NULL, wait_for_ever, NULL);
	int descriptor = attach(device, program), recorder = make_recorder(descriptor);

	kill(program, SIGKILL);
	waitpid(program, NULL, 0);
	check(is_over(recorder), "a process that is not locked is killed: its recorder has ended");
	close(descriptor);
	close(recorder);
}

static void test_killed(uint32_t mode)
{
	long before = kilobytes_free();
	pid_t program = spawn(fill_memory, wait_for_ever, NULL);
	int descriptor = attach(device, program);
	struct cape_status status = {0};
	long reaped;
	bool back;

	check(lock(descriptor, mode, NULL, 0) == 0, "lock");
	ptrace(PTRACE_CONT, program, NULL, NULL);
	kill(program, SIGKILL);
	waitpid(program, NULL, 0);
	reaped = milliseconds();
	back = free_becomes(before - (long)SIZE / 4096);
	check(back,
	      "a process is killed: its memory comes back, of %ld KB %ld are missing (%ld ms)",
	      (long)SIZE / 1024, before - kilobytes_free(), milliseconds() - reaped);
	check(ioctl(descriptor, CAPE_GET_STATUS, &status) == 0 &&
		      status.mode == CAPE_MODE_UNLOCKED && status.twin_count == 0,
	      "nothing is locked then");
	close(descriptor);
}

static void be_chosen(const char *score)
{
	if (!put("/proc/self/oom_score_adj", score))
		abort();
}

static void be_chosen_first(void)
{
	be_chosen("1000");
	fill_memory();
}

/* As who waits for a disk that does not answer: its end takes long. */
static void sleep_deeply(void *argument)
{
	ioctl(slow, SLOW_SLEEP, LONG);
	wait_for_ever(argument);
}

/*
 * Takes all memory that is free, and some of what PROGRAM has, whoever else does what when.  Of
 * what comes back, Linux 6.7 and later keep up to an eighth of all memory for each processor, and
 * may kill for want of it.
 */
static void take_memory(pid_t parent)
{
	size_t left = (size_t)kilobytes_free() * 1024 + SIZE / 8;

	be_chosen("0");
	for (; left > PIECE; left -= PIECE)
		memset(map(PIECE, MAP_PRIVATE), 1, PIECE);
	_exit(getppid() == parent ? 0 : 1);
}

/* A child that ends with this process, and runs BODY. */
static pid_t start(void (*body)(void))
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		body();
	}
	return child;
}

static void be_bystander(void)
{
	be_chosen("500");
	memset(map(SMALL, MAP_PRIVATE), 1, SMALL);
	for (;;)
		pause();
}

static void test_shortage(void)
{
	pid_t parent = getpid(), bystander = start(be_bystander), taker, program;
	int descriptor, recorder, status = -1;

	be_chosen("-1000");
	program = spawn(be_chosen_first, sleep_deeply, NULL);
	descriptor = attach(device, program);
	recorder = make_recorder(descriptor);
	check(lock(descriptor, CAPE_MODE_RECORD, NULL, 0) == 0, "lock");
	ptrace(PTRACE_CONT, program, NULL, NULL);
	while (ioctl(slow, SLOW_INSIDE, 0) != 1)
		usleep(10000);
	taker = fork();
	if (taker == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		take_memory(parent);
	}
	check(waitpid(taker, &status, 0) == taker && WIFEXITED(status) && WEXITSTATUS(status) == 0,
	      "what the kernel kills a process for is enough for another to go on");
	check(ioctl(slow, SLOW_INSIDE, 0) == 1, "before that one has come to its end");
	ioctl(slow, SLOW_GO_ON, 0);
	check(waitpid(program, &status, 0) == program && WIFSIGNALED(status) &&
		      WTERMSIG(status) == SIGKILL,
	      "it is the one that was to be killed");
	check(waitpid(bystander, NULL, WNOHANG) == 0, "no third one has to die");
	check(is_over(recorder), "its recorder has ended, though it was unlocked before it did");
	close(descriptor);
	close(recorder);
	reap(bystander);
	be_chosen("0");
	/* A shortage looks like a complaint in the kernel's log. */
	klogctl(5, NULL, 0);
}

static void outlive(void)
{
	prctl(PR_SET_PDEATHSIG, 0);
}

/* Locks a program, and leaves a child behind that has its descriptors. */
static void monitor(void)
{
	int descriptor, recorder;
	pid_t holder;

	progress->program = spawn(outlive, wait_for_ever, NULL);
	ptrace(PTRACE_SETOPTIONS, progress->program, NULL, 0);
	descriptor = attach(device, progress->program);
	recorder = make_recorder(descriptor);
	progress->locked = lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0;
	holder = fork();
	if (holder == 0) {
		progress->ended = is_over(recorder);
		wait_for_ever(NULL);
	}
	ptrace(PTRACE_CONT, progress->program, NULL, NULL);
	progress->holder = holder;
	wait_for_ever(NULL);
}

static bool is_locked(int descriptor)
{
	struct cape_status status = {0};

	return ioctl(descriptor, CAPE_GET_STATUS, &status) == 0 &&
	       status.mode != CAPE_MODE_UNLOCKED;
}

static void test_tracer(void)
{
	pid_t first = fork();
	int descriptor = -1;

	if (first == 0)
		monitor();
	while (!progress->holder)
		usleep(1000);
	check(progress->locked, "lock");
	kill(first, SIGKILL);
	waitpid(first, NULL, 0);
	check(ptrace(PTRACE_SEIZE, progress->program, NULL, PTRACE_O_EXITKILL) == 0,
	      "its tracer is killed: another can trace the process");
	for (int tries = 0; tries < 50 && descriptor < 0; tries++) {
		descriptor = attach(device, progress->program);
		if (descriptor < 0)
			usleep(100000);
	}
	check(descriptor >= 0, "attach it, though a child of the first has a descriptor");
	for (int tries = 0; tries < MOST / 10 && !progress->ended; tries++)
		usleep(10000);
	check(progress->ended, "that child learns that there will be no more records");
	check(!is_locked(descriptor) && lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0,
	      "and lock it");
	kill(progress->holder, SIGKILL);
	waitpid(progress->holder, NULL, 0);
	check(is_locked(descriptor), "the descriptor that was left behind unlocks nothing");
	close(descriptor);
	reap(progress->program);
}

int main(void)
{
	device = open_device();
	memory = map(SIZE, MAP_PRIVATE | MAP_NORESERVE);
	progress = (void *)map(PAGE, MAP_SHARED);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	test_unlocked();
	test_killed(CAPE_MODE_SNAPSHOT);
	test_killed(CAPE_MODE_NOTIFY);
	test_tracer();
	if (check(load("/slow.ko") && (slow = open("/dev/slow", O_RDWR | O_CLOEXEC)) >= 0,
		  "there is /dev/slow"))
		test_shortage();
	return finish();
}
