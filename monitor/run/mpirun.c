/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mpirun.c - mpirun's command line, with a cape-monitor for each node, and its start.
 */
#include "mpirun.h"

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
#include "common/connection.h"
#include "program.h"
#include "save/set.h"

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
 * More nodes than processors on this machine are the user's own choice, to be told of where
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

static char *number_option(const char *name, long long number)
{
	char *text;

	return asprintf(&text, "%s=%lld", name, number) < 0 ? NULL : text;
}

bool mpirun_is_prterun(void)
{
	char *prterun = program_in_path("prterun");
	bool there = prterun != NULL;

	free(prterun);
	return there;
}

/* Open MPI 5 puts them all on the first machine if it is not told how to map them, too. */
size_t mpirun_share(const struct run_options *options, char **words)
{
	bool maps = mpirun_is_prterun();

	for (int i = 0; i < options->mpirun_count; i++)
		maps &= strcmp(options->mpirun[i], "--map-by") != 0;
	if (!maps) {
		words[0] = "--oversubscribe";
		return 1;
	}
	words[0] = "--map-by";
	words[1] = "slot:OVERSUBSCRIBE";
	return 2;
}

char **mpirun_command(const struct run_options *options, const struct surroundings *surroundings,
		      char *program, const char *folder)
{
	char **list, *monitor = monitor_path(), nodes[16];
	uint64_t run;
	size_t n = 0;

	list = calloc((size_t)options->mpirun_count + 64, sizeof(*list));
	if (!list || !monitor) {
		free(list);
		free(monitor);
		return NULL;
	}
	snprintf(nodes, sizeof(nodes), "%d", options->nodes);
	list[n++] = "mpirun";
	n += mpirun_share(options, list + n);
	/* The monitor does so itself, as long as it pays (loop_yield()). */
	list[n++] = "--mca";
	list[n++] = "mpi_yield_when_idle";
	list[n++] = "0";
	list[n++] = "-x";
	list[n++] = CONNECTION_VARIABLE;
	list[n++] = "-np";
	list[n++] = strdup(nodes);
	for (int i = 0; i < options->mpirun_count; i++)
		list[n++] = options->mpirun[i];
	list[n++] = monitor;
	list[n++] = number_option("--method", options->method);
	list[n++] = number_option("--model", options->model);
	list[n++] = number_option("--exchange", options->exchange);
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
	if (options->profile) {
		list[n++] = "--profile";
		list[n++] = (char *)options->profile;
	}
	if (options->trace)
		list[n++] = "--trace";
	if (options->verbose)
		list[n++] = "--placement";
	if (options->wrap) {
		list[n++] = "--wrap";
		list[n++] = (char *)options->wrap;
	}
	if (options->attach) {
		list[n++] = "--attach";
		list[n++] = (char *)options->attach;
	}
	if (options->copy)
		list[n++] = "--copy";
	list[n++] = number_option("--sharing-limit", sharing_limit(options));
	if (options->checkpoint) {
		list[n++] = "--checkpoint";
		list[n++] = (char *)options->checkpoint;
		list[n++] = number_option("--seconds", options->seconds);
		list[n++] = number_option("--ends", options->ends);
		list[n++] = number_option("--points", options->points);
		list[n++] = number_option("--keep", options->keep);
		if (options->partner)
			list[n++] = "--partner";
	}
	if (options->restart) {
		list[n++] = "--restore";
		list[n++] = (char *)options->restart;
		if (set_is_apart(options->restart, &run))
			list[n++] = number_option("--apart", (long long)run);
	}
	if (input_is_file())
		list[n++] = "--stdin-file";
	if (output_is_one())
		list[n++] = "--one-output";
	if (isatty(STDOUT_FILENO))
		list[n++] = "--terminal";
	if (options->kept) {
		list[n++] = "--save-checkpoints";
		list[n++] = options->kept;
	}
	list[n++] = number_option("--lost-after", options->lost_after);
	list[n++] = number_option("--umask", surroundings->mask);
	list[n++] = number_option("--file-size", (long long)surroundings->file_size);
	if (asprintf(&list[n++], "--folder=%s", folder) < 0)
		return NULL;
	list[n++] = "--";
	list[n++] = program;
	list[n] = NULL;
	return list;
}

/*
 * In a session of its own it has the user's signals from cape-run alone: two at a time, while it
 * starts processes, can leave it waiting for ever.
 */
static int become_mpirun(char **command)
{
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	/* In containers everybody is root, and Open MPI refuses to run as root without these. */
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
	execvp(command[0], command);
	fprintf(stderr, "cape-run: cannot run mpirun: %s\n", strerror(errno));
	return 127;
}

pid_t mpirun_start(char **command, int output[2])
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
		_exit(become_mpirun(command));
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
