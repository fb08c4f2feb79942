/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-processes.c - processes and commands are given memory of which each thread of a region has
 * just written a part: children of fork() read it, commands' words lie in it.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PARTS 5
#define PART  (64 * 1024)
#define SIZE  (PARTS * PART)

extern char **environ;
static unsigned char still[SIZE];
static unsigned char *array;

static void fill(unsigned seed)
{
#pragma omp parallel for schedule(static)
	for (unsigned i = 0; i < SIZE; i++)
		array[i] = (unsigned char)((i * 7u + i / 256u + seed) * 37u + 1u);
}

/* Each thread writes TEXT over and over into its part. */
static char *spell(const char *text)
{
	unsigned length = (unsigned)strlen(text);

#pragma omp parallel for schedule(static)
	for (unsigned i = 0; i < SIZE; i++)
		array[i] = i % 64 < length ? (unsigned char)text[i % 64] : 0;
	return (char *)array + 3 * PART;
}

static unsigned sum(void)
{
	unsigned total = 0;

	for (size_t i = 0; i < SIZE; i++)
		total = total * 31 + array[i];
	return total;
}

/* The child tells by its status whether it has seen what its parent sees. */
static int child_sees(void)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		_exit((int)(sum() % 251));
	waitpid(child, &status, 0);
	return WEXITSTATUS(status) == (int)(sum() % 251);
}

static void commands(void)
{
	char line[100] = "";
	FILE *command;
	pid_t child;
	char **words = (char **)(array + PART);
	int status;

	printf("system %d\n", system(spell("exit 3")) >> 8);
	command = popen(spell("echo said"), "r");
	fgets(line, sizeof(line), command);
	printf("popen %d %s", pclose(command), line);
	fflush(stdout);
	fill(7);
	command = popen("cksum", "w");
	fwrite(array, 1, SIZE, command);
	printf("cksum %d\n", pclose(command));
	fflush(stdout);
	spell("exit 5");
	words[0] = strcpy((char *)array + 2 * PART, "sh");
	words[1] = strcpy((char *)array + 2 * PART + 10, "-c");
	words[2] = (char *)array + 4 * PART;
	words[3] = NULL;
#pragma omp parallel for schedule(static)
	for (unsigned i = 0; i < SIZE; i++)
		array[i] = array[i] + 0;
	posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ);
	waitpid(child, &status, 0);
	printf("posix_spawn %d\n", WEXITSTATUS(status));
}

int main(void)
{
	array = still;
	for (int round = 0; round < 2; round++) {
		int seen = 0;

		fill(1);
		printf("child %d\n", child_sees());
		fill(2);
		fflush(stdout);
		if (fork() == 0) {
			for (int i = 0; i < SIZE; i++)
				array[i]++;
			printf("child's own %u\n", sum());
			fflush(stdout);
			_exit(0);
		}
		wait(NULL);
		printf("parent's %u\n", sum());
		fill(4);
#pragma omp parallel reduction(+ : seen)
		{
			if (omp_get_thread_num() == omp_get_num_threads() - 1)
				seen += child_sees();
		}
		printf("in a region %d\n", seen);
		commands();
		array = malloc(SIZE);
	}
	return 0;
}
