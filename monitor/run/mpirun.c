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

static void add(struct mpirun_command *command, const char *word)
{
	command->list[command->count++] = (char *)word;
}

/* A word that was made for it; NULL: for want of memory it was not. */
static void add_made(struct mpirun_command *command, char *word)
{
	command->made[command->made_count++] = word;
	command->failed |= !word;
	add(command, word);
}

static void add_number(struct mpirun_command *command, const char *name, long long number)
{
	char *text;

	add_made(command, asprintf(&text, "%s=%lld", name, number) < 0 ? NULL : text);
}

static void add_value(struct mpirun_command *command, const char *name, const char *value)
{
	add(command, name);
	add(command, value);
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

static void add_saving(struct mpirun_command *command, const struct run_options *options)
{
	uint64_t run;

	if (options->checkpoint) {
		add_value(command, "--checkpoint", options->checkpoint);
		add_number(command, "--seconds", options->seconds);
		add_number(command, "--ends", options->ends);
		add_number(command, "--points", options->points);
		add_number(command, "--keep", options->keep);
		if (options->partner)
			add(command, "--partner");
	}
	if (options->restart) {
		add_value(command, "--restore", options->restart);
		if (set_is_apart(options->restart, &run))
			add_number(command, "--apart", (long long)run);
	}
}

/* What the monitor is to know of the run. */
static void add_options(struct mpirun_command *command, const struct run_options *options)
{
	add_number(command, "--method", options->method);
	add_number(command, "--model", options->model);
	add_number(command, "--exchange", options->exchange);
	if (options->protection >= 0)
		add_number(command, "--protect", options->protection);
	if (options->verify)
		add(command, "--verify");
	if (options->races)
		add(command, "--races");
	if (options->statistics)
		add_value(command, "--stats", options->statistics);
	if (options->profile)
		add_value(command, "--profile", options->profile);
	if (options->trace)
		add(command, "--trace");
	if (options->verbose)
		add(command, "--placement");
	if (options->wrap)
		add_value(command, "--wrap", options->wrap);
	if (options->attach)
		add_value(command, "--attach", options->attach);
	if (options->copy)
		add(command, "--copy");
	add_number(command, "--sharing-limit", sharing_limit(options));
	add_saving(command, options);
	if (options->kept)
		add_value(command, "--save-checkpoints", options->kept);
	add_number(command, "--lost-after", options->lost_after);
}

/* And of what surrounds it. */
static void add_surroundings(struct mpirun_command *command,
			     const struct surroundings *surroundings, const char *folder)
{
	char *text;

	if (input_is_file())
		add(command, "--stdin-file");
	if (output_is_one())
		add(command, "--one-output");
	if (isatty(STDOUT_FILENO))
		add(command, "--terminal");
	add_number(command, "--umask", surroundings->mask);
	add_number(command, "--file-size", (long long)surroundings->file_size);
	add_made(command, asprintf(&text, "--folder=%s", folder) < 0 ? NULL : text);
}

int mpirun_command_make(struct mpirun_command *command, const struct run_options *options,
			const struct surroundings *surroundings, char *program, const char *folder)
{
	char nodes[16];

	*command = (struct mpirun_command){
		.list = calloc((size_t)options->mpirun_count + 64, sizeof(*command->list))};
	if (!command->list)
		return -ENOMEM;
	snprintf(nodes, sizeof(nodes), "%d", options->nodes);
	add(command, "mpirun");
	command->count += mpirun_share(options, command->list + command->count);
	/* The monitor does so itself, as long as it pays (loop_yield()). */
	add_value(command, "--mca", "mpi_yield_when_idle");
	add(command, "0");
	add_value(command, "-x", CONNECTION_VARIABLE);
	add(command, "-np");
	add_made(command, strdup(nodes));
	for (int i = 0; i < options->mpirun_count; i++)
		add(command, options->mpirun[i]);
	add_made(command, monitor_path());
	add_options(command, options);
	add_surroundings(command, surroundings, folder);
	add_value(command, "--", program);
	if (!command->failed)
		return 0;
	mpirun_command_free(command);
	return -ENOMEM;
}

void mpirun_command_free(struct mpirun_command *command)
{
	for (size_t i = 0; i < command->made_count; i++)
		free(command->made[i]);
	free(command->list);
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
	/* One that comes while machines are being reached ends it, with status 0 and no output. */
	setenv("OMPI_MCA_ess_base_forward_signals", "none", 0);
	setenv("PRTE_MCA_ess_base_forward_signals", "none", 0);
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
