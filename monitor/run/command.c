// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * command.c - what the monitors are to know, as words, after those for their launcher; the
 * launcher's start.
 */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/complain.h"
#include "here.h"
#include "launcher.h"
#include "save/set.h"
#include "threads.h"

char *command_monitor(const char *monitor)
{
	char own[4096], *slash, *path;
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (length < 0)
		return NULL;
	own[length] = '\0';
	slash = strrchr(own, '/');
	*slash = '\0';
	if (asprintf(&path, "%s/%s", own, monitor) < 0)
		return NULL;
	return path;
}

/* A file, which programs may seek in, is given whole to all nodes; /dev/null is an empty one. */
static bool input_is_file(void)
{
	struct stat status, null;

	return fstat(STDIN_FILENO, &status) < 0 || S_ISREG(status.st_mode) ||
	       (S_ISCHR(status.st_mode) && stat("/dev/null", &null) == 0 &&
		status.st_rdev == null.st_rdev);
}

static bool output_is_one(void)
{
	struct stat out, err;

	return fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
	       out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

/*
 * More nodes than processors on this machine are the user's own choice, which is reported where
 * somebody looks on.  To share fewer than there are, or those of other machines, is hardly meant.
 */
static int sharing_limit(const struct run_options *options)
{
	cpu_set_t processors;

	if (options->hosts || options->verbose || isatty(STDERR_FILENO) ||
	    sched_getaffinity(0, sizeof(processors), &processors) < 0)
		return INT_MAX;
	return CPU_COUNT(&processors);
}

void command_add(struct command *command, const char *word)
{
	command->list[command->count++] = (char *)word;
}

void command_add_made(struct command *command, char *word)
{
	command->made[command->made_count++] = word;
	command->failed |= !word;
	command_add(command, word);
}

void command_add_value(struct command *command, const char *name, const char *value)
{
	command_add(command, name);
	command_add(command, value);
}

static void add_option(void *command, char *word)
{
	command_add_made(command, word);
}

/* What the monitor is to know of the run, and of what surrounds it. */
static void add_options(struct command *command, const struct run_options *options,
			const struct surroundings *surroundings, const char *folder)
{
	struct monitor_options monitor = options->monitor;

	monitor.version = CAPE_VERSION;
	monitor.protect = options->protection + 1;
	monitor.trace = options->trace_file;
	monitor.threads = threads_of_node(options);
	monitor.placement = options->verbose;
	monitor.sharing_limit = sharing_limit(options);
	monitor.restore = options->restart;
	if (!monitor.restore || !set_is_apart(monitor.restore, &monitor.restore_run))
		monitor.restore_run = 0;
	monitor.here = here_is_all(options);
	monitor.input_is_file = input_is_file();
	monitor.one_output = output_is_one();
	monitor.terminal = isatty(STDOUT_FILENO);
	monitor.mask = surroundings->mask;
	monitor.file_size = surroundings->file_size;
	monitor.ignored = surroundings->signals.ignored;
	monitor.blocked = surroundings->signals.blocked;
	monitor.folder = folder;
	monitor_options_each(&monitor, add_option, command);
}

int command_make(struct command *command, const struct launcher *launcher,
		 const struct run_options *options, const struct surroundings *surroundings,
		 char *program, const char *folder)
{
	*command = (struct command){
		.launcher = launcher,
		.options = options,
		.list = calloc((size_t)options->mpirun_count + 64, sizeof(*command->list))};
	if (!command->list)
		return -ENOMEM;
	if (launcher->begin)
		launcher->begin(command, options);
	command_add_made(command, command_monitor(launcher->monitor));
	add_options(command, options, surroundings, folder);
	command_add_value(command, "--", program);
	if (!command->failed)
		return 0;
	command_free(command);
	return -ENOMEM;
}

void command_free(struct command *command)
{
	for (size_t i = 0; i < command->made_count; i++)
		free(command->made[i]);
	free(command->list);
}

/*
 * In a session of its own it has the user's signals from cape-run alone: mpirun, of two at a time
 * while it starts processes, can be left waiting for ever.
 */
static int become_launcher(const struct command *command)
{
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (command->launcher->prepare)
		command->launcher->prepare();
	if (command->launcher->start)
		return command->launcher->start(command);
	execvp(command->list[0], command->list);
	complain("cannot run %s: %s", command->list[0], strerror(errno));
	return 127;
}

pid_t command_start(const struct command *command, int output[2])
{
	int out[2], err[2], error;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pid_t own = getpid(), child;

	if (null < 0)
		return -errno;
	if (pipe2(out, O_CLOEXEC) < 0) {
		error = errno;
		goto close_null;
	}
	if (pipe2(err, O_CLOEXEC) < 0) {
		error = errno;
		goto close_out;
	}
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != own || dup2(out[1], STDOUT_FILENO) < 0 ||
		    dup2(err[1], STDERR_FILENO) < 0 || dup2(null, STDIN_FILENO) < 0)
			_exit(126);
		_exit(become_launcher(command));
	}
	error = errno;
	if (child > 0) {
		close(out[1]);
		close(err[1]);
		close(null);
		output[0] = out[0];
		output[1] = err[0];
		return child;
	}
	close(err[0]);
	close(err[1]);
close_out:
	close(out[0]);
	close(out[1]);
close_null:
	close(null);
	return -error;
}
