/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process-children.c - processes that sequential code starts, waits for and signals. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int table[64];
static pid_t child[8], order[8];
static volatile sig_atomic_t signals, ended;

static void region(void)
{
#pragma omp parallel for
	for (int i = 0; i < 64; i++)
		table[i] += i;
}

static pid_t start(int status, int milliseconds)
{
	pid_t process = fork();

	if (process < 0)
		exit(20);
	if (process == 0) {
		usleep((useconds_t)milliseconds * 1000);
		_exit(status);
	}
	return process;
}

/* A number that is kept across a region is that of a child still. */
static void across_regions(void)
{
	pid_t process = start(3, 100);
	siginfo_t info;
	int status;

	region();
	while (waitpid(process, &status, 0) < 0)
		;
	printf("%d %d\n", WEXITSTATUS(status), waitpid(process, &status, 0) < 0 && errno == ECHILD);
	process = start(4, 1);
	region();
	printf("%d ", waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT));
	printf("%d %d ", info.si_status, info.si_pid == process);
	printf("%d ", waitid(P_PID, (id_t)process, &info, WEXITED));
	printf("%d\n", waitid(P_PID, (id_t)process, &info, WEXITED) < 0);
}

/* Which ends first, and how often it was asked in vain, is the same on all nodes. */
static void in_any_order(void)
{
	struct rusage usage;
	int sum = 0, status;

	for (int i = 0; i < 8; i++)
		child[i] = start(i, rand() % 8);
	for (int i = 0; i < 8; i++) {
		order[i] = i % 2 ? wait(&status) : wait3(&status, 0, &usage);
		sum += WEXITSTATUS(status);
		region();
	}
	printf("%d %d\n", sum, wait(&status) < 0 && errno == ECHILD);
	child[0] = start(5, 1000000);
	order[0] = 0;
	while (waitpid(child[0], &status, WNOHANG) == 0) {
		if (++order[0] == 5)
			kill(child[0], SIGKILL);
		usleep(1500);
	}
	region();
	printf("%d %d\n", order[0] >= 5, WTERMSIG(status));
}

static void count_signal(int number)
{
	(void)number;
	signals++;
}

/* Each node's own process gets the signal, once. */
static void signalled(void)
{
	pid_t self = getpid(), process;
	int status;

	signal(SIGUSR1, count_signal);
	kill(self, SIGUSR1);
	printf("%d ", signals);
	process = fork();
	if (process == 0) {
		kill(self, SIGUSR1);
		for (;;)
			pause();
	}
	while (signals < 2)
		usleep(1000);
	region();
	printf("%d %d ", kill(process, 0), kill(process, SIGTERM));
	while (wait4(process, &status, 0, NULL) != process)
		;
	printf("%d %d\n", WIFSIGNALED(status), WTERMSIG(status) == SIGTERM);
}

static void reap(int number)
{
	int saved_errno = errno, status;

	(void)number;
	while (waitpid(-1, &status, WNOHANG) > 0)
		ended++;
	errno = saved_errno;
}

static void handled(void)
{
	signal(SIGCHLD, reap);
	for (int i = 0; i < 5; i++)
		start(i, 10 * i);
	/* Until then each node's handler has run as often as that node's time allowed. */
	while (ended < 5)
		usleep(1000);
	signal(SIGCHLD, SIG_DFL);
	region();
	printf("%d handled\n", ended);
}

static void spawned(void)
{
	char *words[] = {"sh", "-c", "exit 6", NULL};
	char *missing[] = {"no-such-command-anywhere", NULL};
	int side[2], status, got = 0;
	pid_t process;

	printf("%d ", posix_spawn(&process, "/bin/sh", NULL, NULL, words, environ));
	region();
	waitpid(process, &status, 0);
	printf("%d ", WEXITSTATUS(status));
	printf("%d\n", posix_spawnp(&process, missing[0], NULL, NULL, missing, environ) == ENOENT);
	if (pipe(side) < 0)
		exit(21);
	process = fork();
	if (process == 0) {
		int number = 77;

		_exit(write(side[1], &number, sizeof(number)) == sizeof(number) ? 0 : 1);
	}
	if (read(side[0], &got, sizeof(got)) != sizeof(got))
		got = -1;
	region();
	waitpid(process, &status, 0);
	printf("%d %d\n", got, status);
}

int main(void)
{
	srand(7);
	across_regions();
	in_any_order();
	signalled();
	handled();
	spawned();
	printf("%d\n", table[63]);
	return 0;
}
