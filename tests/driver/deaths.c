/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deaths.c - the monitor, the process or a thread is killed while memory is locked, or the
 * descriptor is closed: what lives on is right, and nothing stays locked or held.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define PAGES 64

/* Shared by all the processes here. */
struct progress {
	pid_t program;
	volatile bool go, locked;
	volatile size_t right; /* pages that the program found as it should */
};

static int device;
static unsigned char *memory;
static struct progress *progress;
static struct collected collected;
static struct notices notices;

static int attached_now(void)
{
	DIR *folder = opendir("/sys/kernel/debug/cape");
	int count = -2; /* "." and ".." */

	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count;
}

static bool attached_becomes(int wanted)
{
	for (int tries = 0; tries < 100 && attached_now() != wanted; tries++)
		usleep(100000);
	return attached_now() == wanted;
}

static void write_and_count(void)
{
	size_t right = 0;

	for (size_t i = 0; i < PAGES; i++)
		memory[i * PAGE]++;
	for (size_t i = 0; i < PAGES; i++)
		right += memory[i * PAGE] == 2 && memory[i * PAGE + 1] == 1;
	progress->right = right;
}

/* Unlike what spawn() makes, it is to outlive its parent. */
static void outlive(void)
{
	prctl(PR_SET_PDEATHSIG, 0);
}

/* Waits for the monitor's end first. */
static void write_later(void *argument)
{
	(void)argument;
	while (!progress->go)
		usleep(1000);
	write_and_count();
	_exit(0);
}

/* Traces the program, locks it and lets it run, until it is killed. */
static void monitor(uint32_t mode, long options)
{
	int descriptor;

	progress->program = spawn(outlive, write_later, NULL);
	ptrace(PTRACE_SETOPTIONS, progress->program, NULL, options);
	descriptor = attach(device, progress->program);
	progress->locked = lock(descriptor, mode, NULL, 0) == 0;
	for (;;) {
		ptrace(PTRACE_CONT, progress->program, NULL, NULL);
		waitpid(progress->program, NULL, 0);
	}
}

static void start_over(void)
{
	memset(memory, 1, PAGES * PAGE);
	*progress = (struct progress){0};
}

static void test_monitor(uint32_t mode, bool kills_program)
{
	const char *how = mode == CAPE_MODE_NOTIFY ? "notify" : "snapshot";
	pid_t killed, program;
	int status = -1;

	start_over();
	killed = fork();
	if (killed == 0)
		monitor(mode, kills_program ? PTRACE_O_EXITKILL : 0);
	while (!progress->locked && waitpid(killed, &status, WNOHANG) == 0)
		usleep(1000);
	usleep(50000);
	kill(killed, SIGKILL);
	waitpid(killed, NULL, 0);
	check(attached_becomes(0), "%s: kill -9 of the monitor unlocks", how);
	progress->go = true;
	program = waitpid(progress->program, &status, 0);
	if (kills_program)
		check(program > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
		      "%s: the program ends with it (PTRACE_O_EXITKILL)", how);
	else
		check(program > 0 && WIFEXITED(status) && progress->right == PAGES,
		      "%s: the program goes on, with right memory (%zu)", how, progress->right);
}

static void write_now(void *argument)
{
	(void)argument;
	write_and_count();
}

static void test_close(uint32_t mode)
{
	const char *how = mode == CAPE_MODE_NOTIFY ? "notify" : "snapshot";
	pid_t program;
	int descriptor;

	start_over();
	program = spawn(NULL, write_now, NULL);
	descriptor = attach(device, program);
	check(lock(descriptor, mode, NULL, 0) == 0 && attached_now() == 1, "%s: lock", how);
	close(descriptor);
	check(attached_now() == 0, "%s: close while locked", how);
	check(run_child(program, -1, false, &notices) && notices.count == 0 &&
		      progress->right == PAGES,
	      "%s: the program goes on undisturbed, with right memory", how);
	reap(program);
}

static void forbid_huge_pages(void)
{
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

static long huge_pages_of(pid_t process)
{
	char status[32];

	snprintf(status, sizeof(status), "/proc/%d/status", process);
	return field(status, "THP_enabled");
}

/* The lock takes huge pages from the process; the unlock gives back what there was. */
static void test_huge_pages(bool forbidden)
{
	pid_t program = spawn(forbidden ? forbid_huge_pages : NULL, write_now, NULL);
	const char *how = forbidden ? "no huge pages" : "huge pages";
	int descriptor = attach(device, program);

	check(huge_pages_of(program) == !forbidden &&
		      lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0,
	      "a process with %s: lock", how);
	check(huge_pages_of(program) == 0, "it has none while it is locked");
	check(ioctl(descriptor, CAPE_UNLOCK, 0) == 0 && huge_pages_of(program) == !forbidden,
	      "%s again when it is unlocked", how);
	close(descriptor);
	reap(program);
}

static void block(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigprocmask(how, &set, NULL);
}

static void write_blocked(void *argument)
{
	(void)argument;
	block(SIG_BLOCK);
	write_and_count();
	pause_here();
	block(SIG_UNBLOCK);
	_exit(0);
}

static size_t notices_of_memory(void)
{
	size_t count = 0;

	for (size_t i = 0; i < notices.count; i++)
		count += notices.address[i] - (uintptr_t)memory < PAGES * PAGE;
	return count;
}

/* A notice that waits would come when nobody takes it any more. */
static void test_blocked(void)
{
	int descriptor, status = -1;
	pid_t program;

	start_over();
	program = spawn(NULL, write_blocked, NULL);
	descriptor = attach(device, program);
	check(lock(descriptor, CAPE_MODE_NOTIFY, NULL, 0) == 0, "lock");
	check(run_child(program, descriptor, true, &notices),
	      "a process blocks SIGSEGV and writes");
	check(notices_of_memory() == 0, "it gets no notices (%zu)", notices_of_memory());
	check(collect(descriptor, 64, true, 0, &collected) &&
		      collected_within(&collected, memory, PAGES * PAGE) == PAGES,
	      "what it wrote is captured");
	check(ioctl(descriptor, CAPE_UNLOCK, 0) == 0 && close(descriptor) == 0 &&
		      ptrace(PTRACE_DETACH, program, NULL, NULL) == 0,
	      "unlock, close, detach");
	check(waitpid(program, &status, 0) == program && WIFEXITED(status),
	      "it unblocks SIGSEGV and ends as it would");
	reap(program);
}

static void test_process(uint32_t mode)
{
	const char *how = mode == CAPE_MODE_NOTIFY ? "notify" : "snapshot";
	struct cape_status status = {0};
	pid_t program;
	int descriptor;

	start_over();
	program = spawn(NULL, write_later, NULL);
	descriptor = attach(device, program);
	check(lock(descriptor, mode, NULL, 0) == 0, "%s: lock", how);
	ptrace(PTRACE_CONT, program, NULL, NULL);
	kill(program, SIGKILL);
	/* Requests while it dies. */
	while (waitpid(program, NULL, WNOHANG) == 0)
		collect(descriptor, 16, true, 0, &collected);
	refuses(ioctl(descriptor, CAPE_UNLOCK, 0), ESRCH, "%s: kill -9 of the process: ESRCH", how);
	check(ioctl(descriptor, CAPE_GET_STATUS, &status) == 0 && status.twin_count == 0,
	      "%s: no twin is held", how);
	close(descriptor);
	check(attached_now() == 0, "%s: nor anything else", how);
}

static void *end_at_once(void *argument)
{
	memory[(uintptr_t)argument * PAGE]++;
	return NULL;
}

/* Threads that come and go; the first one ends before the process does. */
static void short_threads(void *argument)
{
	pthread_t thread;

	(void)argument;
	for (uintptr_t i = 0; i < PAGES; i++) {
		if (pthread_create(&thread, NULL, end_at_once, (void *)i) != 0)
			abort();
		pthread_join(thread, NULL);
	}
}

static void test_threads(uint32_t mode)
{
	const char *how = mode == CAPE_MODE_NOTIFY ? "notify" : "snapshot";
	pid_t program;
	int descriptor;

	start_over();
	program = spawn(NULL, short_threads, NULL);
	descriptor = attach(device, program);
	check(lock(descriptor, mode, NULL, 0) == 0, "%s: lock", how);
	check(run_child(program, descriptor, false, &notices), "%s: threads come and go", how);
	check(collect(descriptor, 64, true, 0, &collected) &&
		      collected_within(&collected, memory, PAGES * PAGE) == PAGES,
	      "%s: what they wrote is captured", how);
	close(descriptor);
	reap(program);
}

int main(void)
{
	device = open_device();
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	progress = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (uint32_t mode = CAPE_MODE_SNAPSHOT; mode <= CAPE_MODE_NOTIFY; mode++) {
		test_monitor(mode, false);
		test_monitor(mode, true);
		test_close(mode);
		test_process(mode);
		test_threads(mode);
	}
	test_huge_pages(true);
	test_huge_pages(false);
	test_blocked();
	return finish();
}
