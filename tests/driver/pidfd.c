/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pidfd.c - a process named by a pidfd: by capectl, and by a program of one's own, which asks the
 * pidfd after it has attached by number.  Also when the number is another process's by then, or
 * is in another pid namespace.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

static int device;
static char said[4096]; /* by capectl */

static int open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* A child that waits; with the number PID, if that is not 0. */
static pid_t start(pid_t pid)
{
	struct clone_args arguments = {
		.exit_signal = SIGCHLD,
		.set_tid = pid ? (uintptr_t)&pid : 0,
		.set_tid_size = pid != 0,
	};
	pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));

	if (child < 0)
		abort();
	if (child == 0)
		for (;;)
			pause();
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, __WALL);
}

/* The exit status of capectl COMMAND for a pidfd, which it inherits. */
static int capectl(const char *command, int pidfd)
{
	char process[32];
	int ends[2], status;
	ssize_t got;
	size_t length = 0;
	pid_t child;

	snprintf(process, sizeof(process), "pidfd:%d", pidfd);
	if (pipe2(ends, O_CLOEXEC) < 0 || (child = fork()) < 0)
		abort();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		fcntl(pidfd, F_SETFD, 0);
		execl("/bin/capectl", "capectl", command, process, NULL);
		_exit(127);
	}
	close(ends[1]);
	while ((got = read(ends[0], said + length, sizeof(said) - 1 - length)) > 0)
		length += (size_t)got;
	said[length] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Is that what capectl said, with NUMBER? */
static bool has_said(const char *format, int number)
{
	char expected[256];

	snprintf(expected, sizeof(expected), format, number);
	return strstr(said, expected) != NULL;
}

static void test_command(void)
{
	pid_t child = start(0), other;
	int pidfd = open_pidfd(child), file = open("/dev/null", O_RDONLY);

	check(capectl("lock", pidfd) == 0 && has_said("process %d is locked", child),
	      "capectl locks the process of a pidfd");
	check(capectl("dirty", pidfd) == 0 && capectl("unlock", pidfd) == 0,
	      "and asks its keeper for it");
	check(capectl("lock", file) == 2 && has_said("descriptor %d is not a pidfd", file),
	      "a descriptor that is no pidfd is refused");
	check(capectl("lock", 99) == 2 && has_said("descriptor %d is not open", 99),
	      "so is one that is not open");
	kill(child, SIGKILL);
	poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, -1);
	check(capectl("lock", pidfd) == 1 && has_said("there is no process of pidfd %d", pidfd),
	      "the process has ended, and was not waited for: refused");
	end(child);
	check(capectl("lock", pidfd) == 1 && has_said("there is no process of pidfd %d", pidfd),
	      "and was waited for: refused");
	other = start(child);
	check(other == child && capectl("lock", pidfd) == 1 &&
		      has_said("there is no process of pidfd %d", pidfd),
	      "its number is another process's: refused");
	end(other);
	close(pidfd);
	close(file);
}

/* In a pid namespace of its own, with the /proc of the one that it came from. */
static bool is_refused_inside(void)
{
	pid_t child = start(0), other = 0;
	int pidfd = open_pidfd(child), number = 0;
	char path[64], line[128];
	FILE *lines;
	bool well;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	lines = fopen(path, "r");
	while (lines && fgets(line, sizeof(line), lines))
		sscanf(line, "Pid:%d", &number);
	if (number != child)
		other = start(number); /* which has the number that /proc tells, here */
	well = other == number && capectl("lock", pidfd) == 1 &&
	       has_said("/proc is not of this pid namespace", 0);
	if (!well)
		printf("# %d is %d in /proc, of process %d: %s", child, number, other, said);
	return well;
}

static void test_namespace(void)
{
	pid_t first;
	int status = -1;

	if (unshare(CLONE_NEWPID) < 0)
		abort();
	first = fork();
	if (first == 0) {
		bool well = is_refused_inside();

		fflush(stdout);
		_exit(!well); /* and all that is there with it */
	}
	waitpid(first, &status, 0);
	check(status == 0, "a /proc of another pid namespace tells of another process: refused");
}

/* What kmod/README.md tells: attach by number, and then ask the pidfd. */
static int attach_pidfd(int pidfd, pid_t number)
{
	struct pollfd gone = {.fd = pidfd, .events = POLLIN};
	int descriptor = -1;

	if (ptrace(PTRACE_SEIZE, number, NULL, NULL) == 0)
		descriptor = attach(device, number);
	if (descriptor < 0 || poll(&gone, 1, 0) == 0)
		return descriptor;
	close(descriptor);
	kill(number, SIGSTOP);
	waitpid(number, NULL, __WALL);
	ptrace(PTRACE_DETACH, number, NULL, NULL);
	kill(number, SIGCONT);
	errno = ESRCH;
	return -1;
}

/* The number was read when it was right: what counts is that it still is when it has been used. */
static void test_program(void)
{
	pid_t child = start(0), other;
	int pidfd = open_pidfd(child), descriptor = attach_pidfd(pidfd, child);

	check(descriptor >= 0, "a program attaches by number, and the pidfd says that it is right");
	close(descriptor);
	end(child);
	refuses(attach_pidfd(pidfd, child), ESRCH, "not when the process has ended");
	other = start(child);
	check(other == child, "another process has its number");
	refuses(attach_pidfd(pidfd, child), ESRCH, "that one was attached to, and is let go of");
	check(ptrace(PTRACE_SEIZE, other, NULL, NULL) == 0, "so another can trace it");
	end(other);
	close(pidfd);
}

int main(void)
{
	device = open_device();
	test_command();
	test_program();
	fflush(stdout);
	test_namespace();
	return finish();
}
