/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands-apart.c - what a program starts beside itself finds no descriptor of the run, and may be
 * a program with regions of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK "ls /proc/self/fd | awk '$1 >= 1000 && $1 < 1010 { n++ } END { print \"more:\", n + 0 }'"

extern char **environ;
static int total;

static void region(void)
{
#pragma omp parallel for reduction(+ : total)
	for (int i = 0; i < 100; i++)
		total += i;
}

static void become(char **words)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		execv(words[0], words);
		_exit(127);
	}
	waitpid(child, NULL, 0);
}

int main(int count, char **words)
{
	char *look[] = {"/bin/sh", "-c", LOOK, NULL};
	char *again[] = {"/proc/self/exe", "again", NULL};
	char line[80] = "";
	pid_t child;
	FILE *command;

	region();
	if (count > 1) {
		printf("%s: %d\n", words[1], total);
		return 0;
	}
	fflush(stdout);
	if (execl("/nonexistent", "x", (char *)NULL) == 0 || errno != ENOENT)
		printf("no error\n");
	if (system(LOOK) != 0)
		printf("system() fails\n");
	command = popen(LOOK, "r");
	if (command && fgets(line, sizeof(line), command))
		printf("%s", line);
	if (command)
		pclose(command);
	become(look);
	if (posix_spawn(&child, look[0], NULL, NULL, look, environ) == 0)
		waitpid(child, NULL, 0);
	become(again);
	region();
	printf("%d\n", total);
	return 0;
}
