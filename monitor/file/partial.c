// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * partial.c - a file that has its name when it is whole, and until then one that nobody knows.
 */
#include "file/partial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "file/layout.h"

#define TRIES 100

static int fail(const struct file_partial *partial, int number, struct file_error *error,
		const char *what)
{
	return FILE_ERROR(error, number, partial->path, 0, "%s: %s", what, strerror(number));
}

static void partial_free(struct file_partial *partial)
{
	if (partial->file >= 0)
		close(partial->file);
	if (partial->folder >= 0)
		close(partial->folder);
	free(partial->partial);
	free(partial->path);
}

/* A name that nobody else has, in whatever folder this is shared through. */
static int make_partial(struct file_partial *partial)
{
	/* Whoever may not read the older file may not read this one, either. */
	mode_t mode = (partial->mode & 0777) | S_IRUSR | S_IWUSR;

	for (unsigned i = 0; i < TRIES; i++) {
		uint32_t any;

		if (getrandom(&any, sizeof(any), 0) != sizeof(any))
			return -errno;
		free(partial->partial);
		if (asprintf(&partial->partial, "%s.partial.%08x", partial->name, any) < 0) {
			partial->partial = NULL;
			return -ENOMEM;
		}
		partial->file = openat(partial->folder, partial->partial,
				       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
		if (partial->file >= 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* Of a file that is to be replaced the mode stays, unless it is another user's; what is no file is
 * not to be replaced. */
static int look_at_older(struct file_partial *partial, struct file_error *error)
{
	struct stat older;

	if (fstatat(partial->folder, partial->name, &older, 0))
		return 0;
	if (!S_ISREG(older.st_mode))
		return FILE_ERROR(error, EINVAL, partial->path, 0, "it is not a regular file");
	if (older.st_uid == geteuid())
		partial->mode = older.st_mode;
	return 0;
}

int file_partial_open(struct file_partial *partial, const char *folder, const char *name,
		      struct file_error *error)
{
	size_t length = strlen(folder);
	const char *slash = length && folder[length - 1] == '/' ? "" : "/";
	int failed;

	*partial = (struct file_partial){.folder = -1, .file = -1};
	if (asprintf(&partial->path, "%s%s%s", folder, slash, name) < 0)
		return FILE_ERROR(error, ENOMEM, folder, 0, "cannot write a file: %s",
				  strerror(ENOMEM));
	partial->name = partial->path + strlen(partial->path) - strlen(name);
	if (!*name || strchr(name, '/')) {
		failed = fail(partial, EINVAL, error, "is not the name of a file");
		goto free_partial;
	}
	partial->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (partial->folder < 0) {
		failed = fail(partial, errno, error, "cannot open the folder");
		goto free_partial;
	}
	failed = look_at_older(partial, error);
	if (failed)
		goto free_partial;
	failed = make_partial(partial);
	if (!failed)
		return 0;
	fail(partial, -failed, error, "cannot make a file in the folder");
free_partial:
	partial_free(partial);
	return failed;
}

int file_partial_commit(struct file_partial *partial, struct file_error *error)
{
	int failed = 0, file = partial->file;

	if (partial->mode && fchmod(file, partial->mode & 0777))
		failed = fail(partial, errno, error, "cannot give it the older file's mode");
	if (!failed && fsync(file))
		failed = fail(partial, errno, error, "cannot write it to the disk");
	/* Some file systems report a failed write only here. */
	partial->file = -1;
	if (close(file) && !failed)
		failed = fail(partial, errno, error, "cannot close it");
	if (!failed && renameat(partial->folder, partial->partial, partial->folder, partial->name))
		failed = fail(partial, errno, error, "cannot give it its name");
	if (failed) {
		file_partial_abort(partial);
		return failed;
	}
	if (fsync(partial->folder))
		failed = fail(partial, errno, error, "cannot write its name to the disk");
	partial_free(partial);
	return failed;
}

void file_partial_abort(struct file_partial *partial)
{
	unlinkat(partial->folder, partial->partial, 0);
	partial_free(partial);
}
