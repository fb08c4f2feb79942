/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pidfd.c - see pidfd.h.
 */
#include "pidfd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>

/* Are the numbers in /proc those of this process's pid namespace?  If not, it has several there. */
static bool is_proc_of_namespace(void)
{
	FILE *lines = fopen("/proc/self/status", "re");
	char line[1024];
	bool ours = lines != NULL;
	int first, second;

	while (lines && fgets(line, sizeof(line), lines))
		if (sscanf(line, "NSpid: %d %d", &first, &second) == 2)
			ours = false;
	if (lines)
		fclose(lines);
	return ours;
}

int pidfd_number(int descriptor, pid_t *pid)
{
	char path[64], line[128];
	int error = EINVAL;
	FILE *lines;

	if (fcntl(descriptor, F_GETFD) < 0)
		return EBADF;
	if (!is_proc_of_namespace())
		return EXDEV;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", descriptor);
	lines = fopen(path, "re");
	if (!lines)
		return errno;
	/* Zero: of another pid namespace; less: it has been waited for. */
	while (error == EINVAL && fgets(line, sizeof(line), lines))
		if (sscanf(line, "Pid:%d", pid) == 1)
			error = *pid > 0 && pidfd_lives(descriptor) ? 0 : ESRCH;
	fclose(lines);
	return error;
}

bool pidfd_lives(int descriptor)
{
	struct pollfd end = {.fd = descriptor, .events = POLLIN};

	return poll(&end, 1, 0) == 0;
}
