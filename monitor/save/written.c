// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * written.c - opens a program's files anew, by /proc, and brings them to the disk.
 */
#include "written.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ENTRY of FOLDER is a link to the file. */
static int fail(int error, int folder, const char *entry, char *reason, size_t size)
{
	char name[400];
	ssize_t length = readlinkat(folder, entry, name, sizeof(name) - 1);

	name[length > 0 ? length : 0] = '\0';
	snprintf(reason, size, "%s: %s", name, strerror(error));
	return -error;
}

/* Whether ENTRY of FOLDER, a descriptor, is of a file with a name that is written to. */
static bool is_written(int folder, const char *entry)
{
	struct stat link, file;

	/* The link's rights are those that the descriptor has. */
	return fstatat(folder, entry, &link, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(link.st_mode) &&
	       (link.st_mode & S_IWUSR) && fstatat(folder, entry, &file, 0) == 0 &&
	       S_ISREG(file.st_mode) && file.st_nlink > 0;
}

static int add(struct written *written, int file)
{
	int *more = realloc(written->file, (written->count + 1) * sizeof(*more));

	if (!more) {
		close(file);
		return -ENOMEM;
	}
	written->file = more;
	more[written->count++] = file;
	return 0;
}

int written_open(struct written *written, pid_t process, char *reason, size_t size)
{
	const struct dirent *entry;
	char path[64];
	int error = 0;
	DIR *list;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)process);
	list = opendir(path);
	if (!list) {
		error = -errno;
		snprintf(reason, size, "%s: %s", path, strerror(-error));
		return error;
	}
	while (!error && (entry = readdir(list))) {
		int folder = dirfd(list), file;

		if (!is_written(folder, entry->d_name))
			continue;
		/* To read from: a file that is open to write to cannot be executed. */
		file = openat(folder, entry->d_name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (file < 0 && (errno == EACCES || errno == EPERM))
			continue;
		error = file < 0 ? -errno : add(written, file);
		if (error)
			fail(-error, folder, entry->d_name, reason, size);
	}
	closedir(list);
	return error;
}

int written_sync(const struct written *written, char *reason, size_t size)
{
	for (size_t i = 0; i < written->count; i++) {
		char path[64];

		/* Not all that is open can be brought to a disk. */
		if (fsync(written->file[i]) == 0 || errno == EINVAL || errno == EROFS)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", written->file[i]);
		return fail(errno, AT_FDCWD, path, reason, size);
	}
	return 0;
}

void written_close(struct written *written)
{
	for (size_t i = 0; i < written->count; i++)
		close(written->file[i]);
	free(written->file);
	*written = (struct written){0};
}
