/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * late.c - a page fault handler of the driver's that is still under way when what it looks at is
 * let go of: whoever frees that waits for it.  /dev/slow (toy/slow.c) holds the handler up.
 *
 * Kernels that remove a counter with interrupts wait for its handler, too ("perf: Fix
 * __perf_event_overflow() vs perf_remove_from_context() race"), as Debian's do.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"
#include "toy/slow.h"

#define PAGES 16
#define LONG  2000  /* milliseconds that a handler is held up, if nobody lets it go on */
#define MOST  10000 /* where somebody does, be the guest slow; the kernel complains at 20 s */
#define BOUND 15000 /* milliseconds to wait for what must happen */
#define TRIES 5

static unsigned char *memory;
static int slow;

static void own_memory(void)
{
	memset(memory, 1, PAGES * PAGE);
}

static void write_a_page(void *argument)
{
	(void)argument;
	memory[3 * PAGE] = 2;
}

/* Is a handler held up before the child has stopped, and within BOUND? */
static bool handler_is_in(pid_t child)
{
	siginfo_t stopped = {0};

	for (int i = 0; i < BOUND; i++) {
		if (ioctl(slow, SLOW_INSIDE, 0) == 1)
			return true;
		waitid(P_PID, child, &stopped, WSTOPPED | WNOHANG | WNOWAIT);
		if (stopped.si_pid)
			return false;
		usleep(1000);
	}
	return false;
}

static bool keep_to(pid_t process, int processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	return sched_setaffinity(process, sizeof(set), &set) == 0;
}

/* Has the process write, and be in the handler, which keeps all others off its processor. */
static bool start_write(pid_t child, int descriptor, long milliseconds)
{
	return keep_to(child, 1) && lock(descriptor, CAPE_MODE_NOTIFY, NULL, 0) == 0 &&
	       ioctl(slow, SLOW_NEXT, milliseconds) == 0 &&
	       ptrace(PTRACE_CONT, child, NULL, NULL) == 0 && handler_is_in(child);
}

/*
 * Has a child in the handler.  Whatever of the kernel's asks the other processor for something just
 * then waits until the handler has ended, and with it the test: then another child has a try.
 */
static bool hold_one(int device, long milliseconds, pid_t *child, int *descriptor)
{
	for (int i = 0; i < TRIES; i++) {
		*child = spawn(own_memory, write_a_page, NULL);
		*descriptor = attach(device, *child);
		if (start_write(*child, *descriptor, milliseconds))
			return true;
		printf("# no handler is held up, try %d\n", i + 1);
		close(*descriptor);
		reap(*child);
	}
	return false;
}

/* UNLOCKED: the lock could be taken away.  Returns whether the handler was still in then. */
static bool unlock_beside(int descriptor, bool *unlocked)
{
	*unlocked = ioctl(descriptor, CAPE_UNLOCK, 0) == 0;
	return ioctl(slow, SLOW_INSIDE, 0) == 1;
}

/* The handler has the lock's memory still, under RCU. */
static void test_unlock(int device)
{
	bool held = false, unlocked = false, beside = false, stopped = false;
	int descriptor, status;
	pid_t child;

	for (int i = 0; i < TRIES && !beside; i++) {
		held = hold_one(device, MOST, &child, &descriptor);
		if (!held)
			break;
		beside = unlock_beside(descriptor, &unlocked);
		ioctl(slow, SLOW_GO_ON, 0);
		stopped = waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
			  WSTOPSIG(status) == SIGSEGV;
		close(descriptor);
		reap(child);
	}
	check(held, "unlock: a handler is under way");
	check(unlocked && beside, "unlock does not wait for it");
	check(stopped, "and the process stops for its notice");
}

/* All that it looks at is freed by close(). */
static void test_close(int device)
{
	int descriptor;
	pid_t child;

	if (!check(hold_one(device, LONG, &child, &descriptor), "close: a handler is under way"))
		return;
	close(descriptor);
	check(ioctl(slow, SLOW_INSIDE, 0) == 0, "it is not any more when the descriptor is closed");
	ioctl(slow, SLOW_GO_ON, 0);
	reap(child);
}

/*
 * From its first page on this program runs on one processor.  Memory that it has used on the other
 * one would be flushed there, too, which waits for the handler as long as it has interrupts off.
 */
static bool keep_memory_here(int arguments, char **argument)
{
	if (!keep_to(0, 0))
		return false;
	if (arguments == 1)
		execl("/proc/self/exe", argument[0], "here", NULL);
	return arguments == 2;
}

int main(int argc, char **argv)
{
	bool here = keep_memory_here(argc, argv);
	int device = open_device();

	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (!load("/slow.ko") || (slow = open("/dev/slow", O_RDWR | O_CLOEXEC)) < 0) {
		check(false, "there is /dev/slow");
		return finish();
	}
	if (!here || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		check(true, "two processors # SKIP there is only one");
		return finish();
	}
	test_unlock(device);
	for (int i = 0; i < 3; i++)
		test_close(device);
	close(slow);
	return finish();
}
