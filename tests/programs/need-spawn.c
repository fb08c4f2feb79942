/* SPDX-License-Identifier: GPL-2.0-or-later */
/* need-spawn.c - what posix_spawn() is given lies in memory that one node alone has written. */
#include <fcntl.h>
#include <omp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE	   (1 << 20)
#define ACTIONS_AT (SIZE / 2)
#define OTHERS_AT  (SIZE / 4 * 3)

extern char **environ;

static char *memory;

static int spawn(void)
{
	static char *words[] = {"sh", "-c", "echo output; exit 5", NULL};
	int status;
	pid_t child;

	if (posix_spawn(&child, "/bin/sh",
			(const posix_spawn_file_actions_t *)(memory + ACTIONS_AT),
			(const posix_spawnattr_t *)(memory + OTHERS_AT), words, environ))
		return -1;
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

int main(void)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t others;

	memory = malloc(SIZE);
	posix_spawnattr_init(&others);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	for (int round = 1; round < 4; round++) {
#pragma omp parallel
		if (omp_get_thread_num() == omp_get_num_threads() - 1) {
			memset(memory, round, SIZE);
			memcpy(memory + ACTIONS_AT, &actions, sizeof(actions));
			memcpy(memory + OTHERS_AT, &others, sizeof(others));
		}
		printf("%d\n", spawn());
	}
	return 0;
}
