/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * surroundings.c - descriptors, umask, limits, working directory, /proc.
 */
#include "surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
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

	fill_standard_descriptors();
	/* The run's files are to be of use to their owner. */
	surroundings->mask = umask(0);
	umask(surroundings->mask & ~(mode_t)S_IRWXU);
	getrlimit(RLIMIT_FSIZE, &limit);
	surroundings->file_size = limit.rlim_cur;
}

bool surroundings_suffice(int nodes)
{
	char why[512], directory[PATH_MAX];

	if (access("/proc/self/exe", F_OK) < 0) {
		fprintf(stderr, "cape-run: /proc is not mounted here, and CAPE needs it: mount -t "
				"proc proc /proc\n");
		return false;
	}
	if (!getcwd(directory, sizeof(directory))) {
		fprintf(stderr,
			"cape-run: the working directory cannot be named: %s; the nodes are to run "
			"in it, so change to another\n",
			strerror(errno));
		return false;
	}
	if (!limits_raise(nodes, why, sizeof(why))) {
		fprintf(stderr, "cape-run: %s\n", why);
		return false;
	}
	return true;
}
