/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keeper.c - the keeper's life: deaf to the user's signals, with nothing of its parent's open.
 */
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "folder.h"
#include "signals.h"

#define ARGUMENTS_FIELD 48 /* of /proc/self/stat */

static void close_all_from(unsigned first)
{
	if (syscall(SYS_close_range, first, ~0u, 0) == 0)
		return;
	for (int i = (int)first; i < (int)sysconf(_SC_OPEN_MAX); i++)
		close(i);
}

/* Whoever reads its parent's streams waits for their end. */
static void leave(int null, int made)
{
	dup2(made, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	close_all_from(STDERR_FILENO + 1);
	setsid();
	if (chdir("/") < 0)
		return;
}

/* In lists of processes it is not to be taken for its parent: its arguments are overwritten. */
static void take_name(void)
{
	char line[1024], *at;
	unsigned long start, end;
	FILE *file = fopen("/proc/self/stat", "re");

	if (!file)
		return;
	line[fread(line, 1, sizeof(line) - 1, file)] = '\0';
	fclose(file);
	at = strrchr(line, ')');
	for (int field = 2; at && field < ARGUMENTS_FIELD; field++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, "%lu %lu", &start, &end) != 2 || end < start + sizeof(KEEPER_NAME))
		return;
	memset((void *)start, 0, end - start);
	memcpy((void *)start, KEEPER_NAME, sizeof(KEEPER_NAME));
}

static void ignore_signals(void)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	signals_ignore_talk();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* MADE is at its end when the folder is made, or never will be. */
static pid_t start(const char *path, int made, void (*watch)(void *context), void *context)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t keeper;
	char *own, name[16], byte;

	if (null < 0)
		return -errno;
	/* It is not to be taken for its parent even before it runs. */
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, KEEPER_NAME);
	keeper = fork();
	if (keeper != 0) {
		prctl(PR_SET_NAME, name);
		close(null);
		return keeper < 0 ? -errno : keeper;
	}
	/* It may lie among the arguments. */
	own = strdup(path);
	if (!own)
		_exit(1);
	ignore_signals();
	leave(null, made < 0 ? null : made);
	take_name();
	if (watch)
		watch(context);
	while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
		;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(null, STDERR_FILENO);
	folder_remove(own);
	folder_sweep(own);
	_exit(0);
}

pid_t keeper_start(const char *path, void (*watch)(void *context), void *context)
{
	return start(path, -1, watch, context);
}

int keeper_make_folder(const char *path, bool *started)
{
	int made[2], lock;
	pid_t keeper;

	*started = false;
	if (pipe2(made, O_CLOEXEC) < 0)
		return -errno;
	keeper = start(path, made[0], NULL, NULL);
	*started = keeper >= 0;
	lock = *started ? folder_make(path) : keeper;
	close(made[0]);
	close(made[1]);
	return lock;
}
