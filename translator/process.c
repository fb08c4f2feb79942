/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process.c - child processes, signals, temporary files. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What a signal handler and an atexit() handler can reach only as globals. */
static volatile sig_atomic_t child;
static volatile sig_atomic_t caught;
static char *folder;

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static void remove_folder(void)
{
	if (folder)
		nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	free(folder);
	folder = NULL;
}

const char *process_folder(void)
{
	const char *parent = getenv("TMPDIR");

	if (folder)
		return folder;
	folder = format_text("%s/cape-cc.XXXXXX", parent && *parent ? parent : "/tmp");
	if (!mkdtemp(folder)) {
		fprintf(stderr, "cape-cc: cannot make a folder for temporary files (%s): %s\n",
			folder, strerror(errno));
		free(folder);
		folder = NULL;
		return NULL;
	}
	atexit(remove_folder);
	return folder;
}

static void on_signal(int number)
{
	caught = number;
	if (child > 0)
		kill((pid_t)child, number);
}

/* With the folder gone, ends as the signal would have ended it. */
static void end_if_caught(void)
{
	int number = caught;

	if (!number)
		return;
	remove_folder();
	signal(number, SIG_DFL);
	raise(number);
}

void process_catch_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal};
	size_t i;

	sigemptyset(&action.sa_mask);
	for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigaction(numbers[i], &action, NULL);
}

static int start(argument_list *arguments, const struct redirection *redirection, pid_t *process)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	if (redirection->input)
		posix_spawn_file_actions_addopen(&actions, 0, redirection->input, O_RDONLY, 0);
	if (redirection->output)
		posix_spawn_file_actions_addopen(&actions, 1, redirection->output,
						 O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (redirection->error)
		posix_spawn_file_actions_addopen(&actions, 2, redirection->error,
						 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	error = posix_spawnp(process, arguments->items[0], &actions, NULL,
			     (char *const *)arguments->items, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

int process_run(argument_list *arguments, const struct redirection *redirection)
{
	static const struct redirection none;
	pid_t process;
	int status, error;

	*list_add(arguments) = NULL;
	error = start(arguments, redirection ? redirection : &none, &process);
	if (error) {
		fprintf(stderr,
			"cape-cc: cannot run the compiler '%s': %s; CAPE_CC names the one to use\n",
			arguments->items[0], strerror(error));
		return 127;
	}
	child = process;
	if (caught) /* it came before the handler knew whom to tell */
		kill(process, caught);
	while (waitpid(process, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	child = 0;
	end_if_caught();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
