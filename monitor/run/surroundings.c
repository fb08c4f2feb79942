/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * surroundings.c - signals, descriptors, umask, limits, working directory, /proc.
 */
#include "surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/complain.h"
#include "common/limits.h"

/*
 * Descriptors that the caller closed would become somebody's files.  Writing to stdout then fails,
 * as it does for other programs.
 */
static void fill_standard_descriptors(void)
{
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		if (fcntl(i, F_GETFD) < 0)
			open("/dev/null", i == STDOUT_FILENO ? O_RDONLY : O_RDWR);
}

void surroundings_take(struct surroundings *surroundings)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

	signals_take(&surroundings->signals);
	fill_standard_descriptors();
	/* The run's files are to be of use to their owner. */
	surroundings->mask = umask(0);
	umask(surroundings->mask & ~(mode_t)S_IRWXU);
	getrlimit(RLIMIT_FSIZE, &limit);
	surroundings->file_size = limit.rlim_cur;
}

static bool can_enter(const char *directory)
{
	int folder = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC), entered;

	if (folder < 0)
		return false;
	entered = faccessat(folder, ".", X_OK, AT_EACCESS);
	close(folder);
	return entered == 0;
}

/* Whether /proc has this process under its own number; or a message was printed. */
static bool has_proc(void)
{
	char self[16] = "";
	ssize_t length = readlink("/proc/self", self, sizeof(self) - 1);

	if (length > 0 && atoi(self) == getpid())
		return true;
	if (length > 0)
		return complain(
			"/proc here is that of another PID namespace, and CAPE needs this one's: "
			"mount -t proc proc /proc, or unshare --mount-proc");
	return complain("/proc is not mounted here, and CAPE needs it: mount -t proc proc /proc");
}

bool surroundings_suffice(const struct run_options *options)
{
	const char *directory = options->directory;
	/* Elsewhere, perhaps. */
	int nodes = options->hosts ? 0 : options->nodes;
	char why[512], own[PATH_MAX];

	if (!has_proc())
		return false;
	if (!getcwd(own, sizeof(own)))
		return complain("the path of the working directory is not known: %s; the nodes run "
				"in that directory, so change to another one",
				strerror(errno));
	/* Open MPI 5 would speak of too many open files. */
	if (nodes && directory && !can_enter(directory))
		return complain("the nodes cannot run in --wdir %s: %s", directory,
				strerror(errno));
	if (nodes && !directory && !can_enter(own))
		return complain("the nodes cannot run in the working directory %s: %s; change to "
				"another one, or name one by --wdir",
				own, strerror(errno));
	if (!limits_raise(nodes, options->threads, options->save_folder, why, sizeof(why)))
		return complain("%s", why);
	return true;
}
