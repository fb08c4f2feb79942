/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack-limit.c - commands have the limit of the stack that others have here, however started. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHOW "ulimit -s; ulimit -Hs"

static long count;

/* 16 MB of stack, and a command at its end. */
static int deep(int levels)
{
	volatile char frame[1 << 20];

	frame[0] = (char)levels;
	frame[sizeof(frame) - 1] = 1;
	return levels ? deep(levels - 1) + frame[sizeof(frame) - 1] : system(SHOW);
}

static void by_exec(int way)
{
	char *words[] = {"sh", "-c", SHOW, NULL};
	extern char **environ;
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (way == 0)
			execl("/bin/sh", "sh", "-c", SHOW, (char *)NULL);
		else if (way == 1)
			execlp("sh", "sh", "-c", SHOW, (char *)NULL);
		else if (way == 2)
			execle("/bin/sh", "sh", "-c", SHOW, (char *)NULL, environ);
		else if (way == 3)
			execv("/bin/sh", words);
		else if (way == 4)
			execvp("sh", words);
		else
			execve("/bin/sh", words, environ);
		_exit(1);
	}
	waitpid(child, &status, 0);
	printf("%d: %d\n", way, status);
}

static void by_spawn(void)
{
	char *words[] = {"sh", "-c", SHOW, NULL};
	extern char **environ;
	int status = -1;
	pid_t child;

	fflush(stdout);
	if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0)
		waitpid(child, &status, 0);
	printf("%d\n", status);
}

int main(void)
{
	char line[100];
	struct rlimit limit;
	FILE *command;

#pragma omp parallel for reduction(+ : count)
	for (int i = 0; i < 10; i++)
		count++;
	system(SHOW);
	printf("%ld\n", count);
	command = popen(SHOW, "r");
	while (fgets(line, sizeof(line), command))
		fputs(line, stdout);
	pclose(command);
	for (int way = 0; way < 6; way++)
		by_exec(way);
	by_spawn();
	/* The program's own choice is its commands', too. */
	getrlimit(RLIMIT_STACK, &limit);
	limit.rlim_cur = 48 << 20;
	setrlimit(RLIMIT_STACK, &limit);
	system(SHOW);
	printf("%d\n", deep(16));
	by_exec(5);
	return 0;
}
