/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - cape-run: runs a program on many nodes, by mpirun with a cape-monitor on each.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "channel/channel.h"
#include "common/command.h"
#include "options.h"
#include "program.h"

/* The signal that ended mpirun's wait, to be passed on to it. */
static volatile sig_atomic_t mpirun_process;

static void pass_signal(int signal)
{
	if (mpirun_process > 0)
		kill(mpirun_process, signal);
}

/* cape-monitor lies beside cape-run. */
static char *monitor_path(void)
{
	char own[4096], *slash, *path;
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (length < 0)
		return NULL;
	own[length] = '\0';
	slash = strrchr(own, '/');
	*slash = '\0';
	if (asprintf(&path, "%s/cape-monitor", own) < 0)
		return NULL;
	return path;
}

/* What cannot be a terminal or a live pipe is given to all nodes as a file. */
static bool input_is_file(void)
{
	struct stat status;

	return fstat(STDIN_FILENO, &status) < 0 || S_ISREG(status.st_mode) ||
	       (S_ISCHR(status.st_mode) && !isatty(STDIN_FILENO));
}

static char *number_option(const char *name, int number)
{
	char *text;

	return asprintf(&text, "%s=%d", name, number) < 0 ? NULL : text;
}

/* A word of the program's command that mpirun reads nothing into, as it would into a lone ":". */
static char *veiled(const char *word)
{
	char *text;

	return asprintf(&text, "%c%s", CAPE_WORD_VEIL, word) < 0 ? NULL : text;
}

/* mpirun's command line; everything in it lives as long as the process. */
static char **command_line(const struct run_options *options, char *monitor, char *program)
{
	char **list, nodes[16];
	size_t n = 0, arguments = 0;

	while (options->program[arguments])
		arguments++;
	list = calloc((size_t)options->mpirun_count + arguments + 64, sizeof(*list));
	if (!list)
		return NULL;
	snprintf(nodes, sizeof(nodes), "%d", options->nodes);
	list[n++] = "mpirun";
	if (!options->verbose)
		list[n++] = "--quiet";
	list[n++] = "--oversubscribe";
	list[n++] = "--mca";
	list[n++] = "mpi_yield_when_idle";
	list[n++] = "1";
	list[n++] = "-np";
	list[n++] = strdup(nodes);
	for (int i = 0; i < options->mpirun_count; i++)
		list[n++] = options->mpirun[i];
	list[n++] = monitor;
	list[n++] = number_option("--method", options->method);
	list[n++] = number_option("--model", options->model);
	if (options->protection >= 0)
		list[n++] = number_option("--protect", options->protection);
	if (options->verify)
		list[n++] = "--verify";
	if (options->races)
		list[n++] = "--races";
	if (options->statistics) {
		list[n++] = "--stats";
		list[n++] = (char *)options->statistics;
	}
	if (input_is_file())
		list[n++] = "--stdin-file";
	if (isatty(STDOUT_FILENO))
		list[n++] = "--terminal";
	list[n++] = "--";
	for (size_t i = 0; i < arguments; i++) {
		list[n] = veiled(i ? options->program[i] : program);
		if (!list[n++])
			return NULL;
	}
	list[n] = NULL;
	return list;
}

static pid_t start_mpirun(char **command)
{
	pid_t own = getpid(), child = fork();

	if (child != 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != own)
		_exit(126);
	/* In containers everybody is root, and Open MPI refuses to run as root without these. */
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
	execvp(command[0], command);
	fprintf(stderr, "cape-run: cannot run mpirun: %s\n", strerror(errno));
	_exit(127);
}

static int wait_for(pid_t mpirun)
{
	struct sigaction action = {.sa_handler = pass_signal};
	int status;

	mpirun_process = mpirun;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	while (waitpid(mpirun, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	if (WIFSIGNALED(status)) {
		fprintf(stderr, "cape-run: mpirun was killed by signal %d (%s)\n", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
		return 128 + WTERMSIG(status);
	}
	return WEXITSTATUS(status);
}

/* Descriptors that the caller closed would become somebody's files. */
static void fill_standard_descriptors(void)
{
	int null = open("/dev/null", O_RDWR);

	while (null >= 0 && null <= STDERR_FILENO)
		null = dup(null);
	if (null >= 0)
		close(null);
}

int main(int argc, char **argv)
{
	struct run_options options = {.method = CAPE_METHOD_TICKPT2, .model = -1, .protection = -1};
	char *program, *mpirun_path, *monitor, **command;
	int status = 1;
	pid_t mpirun;

	fill_standard_descriptors();
	switch (run_options_parse(&options, argc, argv)) {
	case RUN_PARSED:
		break;
	case RUN_HELPED:
		free(options.mpirun);
		return 0;
	case RUN_WRONG:
		free(options.mpirun);
		return 2;
	}
	program = program_find(options.program[0], &status);
	if (!program)
		goto free_options;
	mpirun_path = program_in_path("mpirun");
	if (!mpirun_path) {
		fprintf(stderr, "cape-run: mpirun is not installed; on Debian: apt-get install "
				"openmpi-bin\n");
		status = 127;
		goto free_program;
	}
	free(mpirun_path);
	monitor = monitor_path();
	command = monitor ? command_line(&options, monitor, program) : NULL;
	if (!command) {
		fprintf(stderr, "cape-run: out of memory\n");
		goto free_monitor;
	}
	mpirun = start_mpirun(command);
	if (mpirun < 0)
		fprintf(stderr, "cape-run: cannot start a process: %s\n", strerror(errno));
	else
		status = wait_for(mpirun);
	free(command);
free_monitor:
	free(monitor);
free_program:
	free(program);
free_options:
	free(options.mpirun);
	return status;
}
