// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lock.c - one run at a time: flock(), which NFS passes on to its server.
 */
#include "lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "common/clock.h"
#include "set.h"

#define PATIENCE_NS 5000000000ull
#define TRY_NS	    50000000

static void lock_path(char path[SET_PATH_SIZE], const char *folder)
{
	snprintf(path, SET_PATH_SIZE, "%.4096s/cape-lock", folder);
}

/* Who had the lock removes its file: then the lock on that keeps nobody out. */
static bool is_in_place(int file, const char *path)
{
	struct stat own, there;

	return fstat(file, &own) == 0 && stat(path, &there) == 0 && own.st_dev == there.st_dev &&
	       own.st_ino == there.st_ino;
}

/* It is for people: the lock is one without it. */
static void say_who(const char *path, const char *program)
{
	int file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char text[LOCK_HOLDER_SIZE], host[HOST_NAME_MAX + 1] = "", when[32] = "";
	time_t now = time(NULL);
	struct tm local;

	gethostname(host, sizeof(host) - 1);
	if (localtime_r(&now, &local))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &local);
	snprintf(text, sizeof(text), "%.300s, process %d on %s since %s\n", program, (int)getpid(),
		 host, when);
	if (file < 0)
		return;
	(void)!write(file, text, strlen(text));
	close(file);
}

/* Who has FILE locked on this machine, if /proc says so; 0: that is not known. */
static pid_t find_holder(int file)
{
	FILE *locks = fopen("/proc/locks", "re");
	unsigned major_number, minor_number;
	unsigned long long inode;
	pid_t found = 0, pid;
	struct stat status;
	char line[256];

	if (!locks || fstat(file, &status) < 0)
		goto out;
	while (!found && fgets(line, sizeof(line), locks))
		if (sscanf(line, "%*s FLOCK %*s %*s %d %x:%x:%llu", &pid, &major_number,
			   &minor_number, &inode) == 4 &&
		    inode == status.st_ino && makedev(major_number, minor_number) == status.st_dev)
			found = pid;
out:
	if (locks)
		fclose(locks);
	return found > 0 ? found : 0;
}

/* Whether PID is of another user, and no run's: its name and owner then are HOLDER. */
static bool is_stranger(pid_t pid, char holder[LOCK_HOLDER_SIZE])
{
	char path[32], name[64] = "";
	const struct passwd *owner;
	struct stat status;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fstat(fileno(file), &status) < 0)
		status.st_uid = geteuid();
	name[fread(name, 1, sizeof(name) - 1, file)] = '\0';
	fclose(file);
	for (char *at = name; *at; at++)
		if (!isprint((unsigned char)*at))
			*at = *at == '\n' ? '\0' : '?';
	if (status.st_uid == geteuid())
		return false;
	owner = getpwuid(status.st_uid);
	snprintf(holder, LOCK_HOLDER_SIZE,
		 "process %d (%s) of user %s holds the lock cape-lock, and is not a run of yours",
		 (int)pid, name, owner ? owner->pw_name : "nobody known");
	return true;
}

/* Anybody may have written it, and whoever has the lock need not be who has written it. */
static void hear_who(int file, char holder[LOCK_HOLDER_SIZE])
{
	ssize_t size = pread(file, holder, LOCK_HOLDER_SIZE - 1, 0);
	size_t end = 0;

	if (is_stranger(find_holder(file), holder))
		return;
	holder[size > 0 ? size : 0] = '\0';
	while (isprint((unsigned char)holder[end]))
		end++;
	holder[end] = '\0';
}

/* Open for MODE.  0, -EBUSY, -ESTALE: it was removed meanwhile, or another -errno. */
static int try_mode(const char *path, int mode, int *lock, char holder[LOCK_HOLDER_SIZE])
{
	int file = open(path, mode | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	int error = 0;

	if (file < 0)
		return -errno;
	if (flock(file, LOCK_EX | LOCK_NB) < 0)
		error = errno == EWOULDBLOCK ? -EBUSY : -errno;
	else if (!is_in_place(file, path))
		error = -ESTALE;
	if (error == -EBUSY)
		hear_who(file, holder);
	if (error)
		close(file);
	else
		*lock = file;
	return error;
}

/* To read from, for one to write to keeps the file system from becoming read-only; but NFS wants
 * it. */
static int try_once(const char *path, int *lock, char holder[LOCK_HOLDER_SIZE])
{
	int error = try_mode(path, O_RDONLY, lock, holder);

	return error == -EBADF ? try_mode(path, O_RDWR, lock, holder) : error;
}

/* Whoever has the lock has it alone: to look needs no more than to read. */
static int look_once(const char *path, int *lock, char holder[LOCK_HOLDER_SIZE])
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int error = 0;

	(void)lock;
	if (file < 0)
		return 0;
	if (flock(file, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		hear_who(file, holder);
		error = -EBUSY;
	}
	close(file);
	return error;
}

/* Tries ONCE again while another has the lock: whoever ends may not have ended yet. */
static int try_for_a_while(const char *path, int *lock, char holder[LOCK_HOLDER_SIZE],
			   int (*once)(const char *path, int *lock, char *holder))
{
	const struct timespec pause = {.tv_nsec = TRY_NS};
	uint64_t end = clock_now() + PATIENCE_NS;
	int error;

	holder[0] = '\0';
	while ((error = once(path, lock, holder)) == -EBUSY || error == -ESTALE) {
		if (clock_now() >= end)
			return -EBUSY;
		nanosleep(&pause, NULL);
	}
	return error;
}

int lock_look(const char *folder, char holder[LOCK_HOLDER_SIZE])
{
	char path[SET_PATH_SIZE];

	lock_path(path, folder);
	return try_for_a_while(path, NULL, holder, look_once);
}

int lock_take(const char *folder, const char *program, int *lock, char holder[LOCK_HOLDER_SIZE])
{
	char path[SET_PATH_SIZE];
	int error;

	lock_path(path, folder);
	error = try_for_a_while(path, lock, holder, try_once);
	if (!error)
		say_who(path, program);
	/* As file systems have it that are mounted without. */
	return error == -ENOSYS || error == -EOPNOTSUPP || error == -EINVAL ? -ENOLCK : error;
}

void lock_leave(const char *folder, int *lock)
{
	char path[SET_PATH_SIZE];

	if (*lock < 0)
		return;
	lock_path(path, folder);
	if (is_in_place(*lock, path))
		unlink(path);
	close(*lock);
	*lock = -1;
}
