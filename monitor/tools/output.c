/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.c - an unfinished file has another name, and none when capectl has been interrupted.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".XXXXXX"

static char final[PATH_MAX], unfinished[PATH_MAX + sizeof(ENDING)];

static void remove_unfinished(int number)
{
	unlink(unfinished);
	signal(number, SIG_DFL);
	raise(number);
}

static int send_output(int file)
{
	int error = dup2(file, STDOUT_FILENO) < 0 ? errno : 0;

	close(file);
	return error;
}

static int make_unfinished(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	int file;

	snprintf(unfinished, sizeof(unfinished), "%s" ENDING, final);
	file = mkostemp(unfinished, O_CLOEXEC);
	if (file < 0) {
		unfinished[0] = '\0';
		return errno;
	}
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (signal(signals[i], remove_unfinished) == SIG_IGN)
			signal(signals[i], SIG_IGN);
	return send_output(file);
}

int output_open(const char *name)
{
	struct stat status;
	int file;

	if (stat(name, &status) == 0 && !S_ISREG(status.st_mode)) {
		file = open(name, O_WRONLY | O_CLOEXEC);
		return file < 0 ? errno : send_output(file);
	}
	/* What a symbolic link points to is replaced, not the link. */
	if (!realpath(name, final)) {
		if (errno != ENOENT)
			return errno;
		if (strlen(name) >= sizeof(final))
			return ENAMETOOLONG;
		strcpy(final, name);
	}
	return make_unfinished();
}

int output_close(bool well)
{
	int error = fflush(stdout) != 0 ? errno : 0;

	if (!unfinished[0])
		return error;
	/* Some file systems tell only now that there is no room. */
	if (!error && well && (fsync(STDOUT_FILENO) < 0 || rename(unfinished, final) < 0))
		error = errno;
	if (error || !well)
		unlink(unfinished);
	unfinished[0] = '\0';
	return error;
}
