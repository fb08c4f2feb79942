/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process.c - child processes, signals, temporary files. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bytes that a compiler leaves at the most when it has run out of room. */
#define LEAST_ROOM 65536

extern char **environ;

/* What a signal handler and an atexit() handler can reach only as globals. */
static volatile sig_atomic_t child;
static volatile sig_atomic_t caught;
static char *folder;
static int guard = -1; /* a socket to who removes the folder if cape-cc cannot */

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

/* What a killed compiler leaves running may still write there: then the guard goes on. */
static void remove_folder(void)
{
	bool gone = !folder || nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0;

	free(folder);
	folder = NULL;
	if (guard >= 0) {
		if (gone)
			send(guard, "", 1, MSG_NOSIGNAL);
		close(guard);
	}
	guard = -1;
}

/*
 * Makes the folder, tells its name or errno, and removes it when cape-cc ends without having said
 * that it is gone: no handler can do so when SIGKILL, SIGPIPE or a crash ends cape-cc.  A compiler
 * that still runs may write there for a moment.
 */
static _Noreturn void run_guard(int teller)
{
	ssize_t said;
	char byte;
	int tries;

	setsid();
	dup2(teller, STDIN_FILENO);
	close_range(STDOUT_FILENO, ~0u, 0);
	if (!mkdtemp(folder)) {
		send(STDIN_FILENO, &errno, sizeof errno, MSG_NOSIGNAL);
		_exit(EXIT_FAILURE);
	}
	send(STDIN_FILENO, folder, strlen(folder) + 1, MSG_NOSIGNAL);
	do
		said = read(STDIN_FILENO, &byte, 1);
	while (said < 0 && errno == EINTR);
	for (tries = 0; said <= 0 && !access(folder, F_OK) && tries < 100; tries++) {
		nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
		usleep(tries * 1000);
	}
	_exit(EXIT_SUCCESS);
}

/* 0, or the errno that says why there is no folder. */
static int make_folder(void)
{
	size_t length = strlen(folder) + 1;
	int ends[2], error = 0;
	ssize_t got;
	pid_t process;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return errno;
	process = fork();
	if (process == 0)
		run_guard(ends[1]);
	if (process < 0)
		error = errno;
	close(ends[1]);
	guard = ends[0];
	if (error)
		return error;
	do
		got = recv(guard, folder, length, 0);
	while (got < 0 && errno == EINTR);
	if (got == (ssize_t)length)
		return 0;
	if (got == sizeof error)
		memcpy(&error, folder, sizeof error);
	return error ? error : ECHILD;
}

const char *process_folder(void)
{
	const char *parent = getenv("TMPDIR");
	int error;

	if (folder)
		return folder;
	folder = format_text("%s/cape-cc.XXXXXX", parent && *parent ? parent : "/tmp");
	error = make_folder();
	if (error) {
		fprintf(stderr, "cape-cc: cannot make a folder for temporary files (%s): %s\n",
			parent && *parent ? parent : "/tmp", strerror(error));
		free(folder);
		folder = NULL;
		return NULL;
	}
	atexit(remove_folder);
	/* What a compiler that is killed leaves goes with it. */
	setenv("TMPDIR", folder, 1);
	return folder;
}

void process_tell_room(void)
{
	struct statvfs status;

	if (folder && !statvfs(folder, &status) && status.f_bavail * status.f_frsize < LEAST_ROOM)
		fprintf(stderr,
			"cape-cc: there is no room left for temporary files in %.*s; set TMPDIR to "
			"another folder\n",
			(int)(strrchr(folder, '/') - folder), folder);
}

/* Without a child there is nobody to wait for: the guard does the rest. */
static void on_signal(int number)
{
	caught = number;
	if (child > 0)
		kill((pid_t)child, number);
	if (child)
		return;
	signal(number, SIG_DFL);
	raise(number);
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
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
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
		posix_spawn_file_actions_adddup2(&actions, redirection->error, 2);
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
	child = -1; /* there will be one */
	error = start(arguments, redirection ? redirection : &none, &process);
	if (error) {
		child = 0;
		end_if_caught();
		fprintf(stderr,
			"cape-cc: cannot run the compiler '%s': %s; set CAPE_CC to the compiler to "
			"use\n",
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
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	fprintf(stderr, "cape-cc: the compiler '%s' was killed by signal %d (%s)\n",
		arguments->items[0], WTERMSIG(status), strsignal(WTERMSIG(status)));
	return 128 + WTERMSIG(status);
}
