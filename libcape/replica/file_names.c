// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * file_names.c - what is done to files by name: what changes folders node 0 does, and all nodes see
 * its result; what looks at them every node does when node 0 has done what came before.
 */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <fts.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>
#include "system/libc.h"
#include "memory/frame.h"
#include "message/one_truth.h"
#include "need/need.h"
#include "replica/description.h"
#include "replica/files.h"
#include "replica/open_files.h"

/* -- changes -------------------------------------------------------------------------------- */

/* As the system call NUMBER; those of its arguments that are addresses are those of texts. */
static long once(long number, long a, long b, long c, long d, long e, const char *what)
{
	struct cape_runtime *runtime = cape_runtime_get();
	const long argument[] = {a, b, c, d};
	long result = 0;

	for (size_t i = 0; i < sizeof(argument) / sizeof(*argument); i++)
		cape_need_touch_text((const char *)argument[i]);
	cape_description_await_master(runtime);
	if (!cape_is_replicated(runtime))
		return syscall(number, a, b, c, d, e);
	cape_files_await_readers(runtime);
	if (runtime->node == 0)
		result = syscall(number, a, b, c, d, e);
	return cape_files_agree(runtime, result, what);
}

/* NAME, which is the system call NUMBER with the arguments that follow, five with zeros. */
#define ONCE(name, parameters, number, ...)                                                        \
	CAPE_FUNCTION(int, name, parameters)                                                       \
	{                                                                                          \
		return (int)once(number, __VA_ARGS__, #name "()");                                 \
	}

int cape_files_unlink(const char *path)
{
	return (int)once(SYS_unlink, (long)path, 0, 0, 0, 0, "unlink()");
}

static int remove_folder(const char *path)
{
	return (int)once(SYS_rmdir, (long)path, 0, 0, 0, 0, "rmdir()");
}

CAPE_FUNCTION_IS(int, unlink, (const char *path), cape_files_unlink(path))
CAPE_FUNCTION_IS(int, rmdir, (const char *path), remove_folder(path))

CAPE_FUNCTION(int, remove, (const char *path))
{
	int result = cape_files_unlink(path);

	return result < 0 && (errno == EISDIR || errno == EPERM) ? remove_folder(path) : result;
}

ONCE(unlinkat, (int folder, const char *path, int flags), SYS_unlinkat, folder, (long)path, flags,
     0, 0)
ONCE(rename, (const char *from, const char *to), SYS_rename, (long)from, (long)to, 0, 0, 0)
ONCE(renameat, (int from_folder, const char *from, int to_folder, const char *to), SYS_renameat,
     from_folder, (long)from, to_folder, (long)to, 0)
ONCE(renameat2,
     (int from_folder, const char *from, int to_folder, const char *to, unsigned int flags),
     SYS_renameat2, from_folder, (long)from, to_folder, (long)to, flags)
ONCE(mkdir, (const char *path, mode_t mode), SYS_mkdir, (long)path, mode, 0, 0, 0)
ONCE(mkdirat, (int folder, const char *path, mode_t mode), SYS_mkdirat, folder, (long)path, mode, 0,
     0)
ONCE(mkfifo, (const char *path, mode_t mode), SYS_mknod, (long)path, S_IFIFO | mode, 0, 0, 0)
ONCE(mkfifoat, (int folder, const char *path, mode_t mode), SYS_mknodat, folder, (long)path,
     S_IFIFO | mode, 0, 0)
ONCE(mknod, (const char *path, mode_t mode, dev_t device), SYS_mknod, (long)path, mode,
     (long)device, 0, 0)
ONCE(mknodat, (int folder, const char *path, mode_t mode, dev_t device), SYS_mknodat, folder,
     (long)path, mode, (long)device, 0)
ONCE(symlink, (const char *target, const char *path), SYS_symlink, (long)target, (long)path, 0, 0,
     0)
ONCE(symlinkat, (const char *target, int folder, const char *path), SYS_symlinkat, (long)target,
     folder, (long)path, 0, 0)
ONCE(link, (const char *from, const char *to), SYS_link, (long)from, (long)to, 0, 0, 0)
ONCE(linkat, (int from_folder, const char *from, int to_folder, const char *to, int flags),
     SYS_linkat, from_folder, (long)from, to_folder, (long)to, flags)
ONCE(chmod, (const char *path, mode_t mode), SYS_chmod, (long)path, mode, 0, 0, 0)
ONCE(chown, (const char *path, uid_t user, gid_t group), SYS_chown, (long)path, user, group, 0, 0)
ONCE(lchown, (const char *path, uid_t user, gid_t group), SYS_lchown, (long)path, user, group, 0, 0)
ONCE(fchownat, (int folder, const char *path, uid_t user, gid_t group, int flags), SYS_fchownat,
     folder, (long)path, user, group, flags)
ONCE(truncate, (const char *path, off_t length), SYS_truncate, (long)path, length, 0, 0, 0)
CAPE_SAME_FUNCTION(truncate64, truncate);
ONCE(access, (const char *path, int mode), SYS_access, (long)path, mode, 0, 0, 0)

/* NAME, which the C library does by itself, on node 0; after TOUCHES. */
#define ONCE_BY_ITSELF(touches, name, parameters, arguments)                                       \
	CAPE_FUNCTION(int, name, parameters)                                                       \
	{                                                                                          \
		struct cape_runtime *runtime = cape_runtime_get();                                 \
		int result = 0;                                                                    \
                                                                                                   \
		touches;                                                                           \
		cape_description_await_master(runtime);                                            \
		if (!cape_is_replicated(runtime))                                                  \
			return CAPE_OWN_FUNCTION(name) arguments;                                  \
		cape_files_await_readers(runtime);                                                 \
		if (runtime->node == 0)                                                            \
			result = CAPE_OWN_FUNCTION(name) arguments;                                \
		return (int)cape_files_agree(runtime, result, #name "()");                         \
	}

/* TEXT and SIZE bytes at ADDRESS, both of which may be NULL. */
static void touch(const char *text, const void *address, size_t size)
{
	cape_need_touch_text(text);
	cape_need_touch(address, size);
}

#define TWO(times) times, 2 * sizeof(*(times))

ONCE_BY_ITSELF(touch(path, NULL, 0), fchmodat,
	       (int folder, const char *path, mode_t mode, int flags), (folder, path, mode, flags))
ONCE_BY_ITSELF(touch(path, NULL, 0), lchmod, (const char *path, mode_t mode), (path, mode))
ONCE_BY_ITSELF((void)0, fchmod, (int descriptor, mode_t mode), (descriptor, mode))
ONCE_BY_ITSELF((void)0, fchown, (int descriptor, uid_t user, gid_t group),
	       (descriptor, user, group))
ONCE_BY_ITSELF((void)0, flock, (int descriptor, int operation), (descriptor, operation))
ONCE_BY_ITSELF((void)0, lockf, (int descriptor, int what, off_t size), (descriptor, what, size))
CAPE_SAME_FUNCTION(lockf64, lockf);
ONCE_BY_ITSELF(touch(path, times, sizeof(*times)), utime,
	       (const char *path, const struct utimbuf *times), (path, times))
ONCE_BY_ITSELF(touch(path, TWO(times)), utimes, (const char *path, const struct timeval *times),
	       (path, times))
ONCE_BY_ITSELF(touch(path, TWO(times)), lutimes, (const char *path, const struct timeval *times),
	       (path, times))
ONCE_BY_ITSELF(touch(path, TWO(times)), futimesat,
	       (int folder, const char *path, const struct timeval *times), (folder, path, times))
ONCE_BY_ITSELF(touch(path, TWO(times)), utimensat,
	       (int folder, const char *path, const struct timespec *times, int flags),
	       (folder, path, times, flags))
ONCE_BY_ITSELF(touch(NULL, TWO(times)), futimes, (int descriptor, const struct timeval *times),
	       (descriptor, times))
ONCE_BY_ITSELF(touch(NULL, TWO(times)), futimens, (int descriptor, const struct timespec *times),
	       (descriptor, times))
ONCE_BY_ITSELF((touch(path, value, size), touch(name, NULL, 0)), setxattr,
	       (const char *path, const char *name, const void *value, size_t size, int flags),
	       (path, name, value, size, flags))
ONCE_BY_ITSELF((touch(path, value, size), touch(name, NULL, 0)), lsetxattr,
	       (const char *path, const char *name, const void *value, size_t size, int flags),
	       (path, name, value, size, flags))
ONCE_BY_ITSELF(touch(name, value, size), fsetxattr,
	       (int descriptor, const char *name, const void *value, size_t size, int flags),
	       (descriptor, name, value, size, flags))
ONCE_BY_ITSELF((touch(path, NULL, 0), touch(name, NULL, 0)), removexattr,
	       (const char *path, const char *name), (path, name))
ONCE_BY_ITSELF((touch(path, NULL, 0), touch(name, NULL, 0)), lremovexattr,
	       (const char *path, const char *name), (path, name))
ONCE_BY_ITSELF(touch(name, NULL, 0), fremovexattr, (int descriptor, const char *name),
	       (descriptor, name))

/* -- looks ---------------------------------------------------------------------------------- */

/* NAME, whose result and errno are node 0's. */
#define ASKS(name, parameters, arguments)                                                          \
	CAPE_FUNCTION(int, name, parameters)                                                       \
	{                                                                                          \
		struct cape_runtime *runtime = cape_runtime_get();                                 \
		int result;                                                                        \
                                                                                                   \
		cape_need_touch_text(path);                                                        \
		cape_files_await_master(runtime);                                                  \
		result = CAPE_OWN_FUNCTION(name) arguments;                                        \
		if (cape_is_replicated(runtime))                                                   \
			result = (int)cape_files_agree(runtime, result, #name "()");               \
		return result;                                                                     \
	}

ASKS(faccessat, (int folder, const char *path, int mode, int flags), (folder, path, mode, flags))
ASKS(eaccess, (const char *path, int mode), (path, mode))
ASKS(euidaccess, (const char *path, int mode), (path, mode))

/* What a link says, on node 0: of the process, too. */
static ssize_t read_link_alike(struct cape_runtime *runtime, int folder, const char *path, char *to,
			       size_t size)
{
	char text[PATH_MAX] = "";
	ssize_t length = 0;

	if (size > sizeof(text))
		size = sizeof(text);
	if (runtime->node == 0)
		length = syscall(SYS_readlinkat, folder, path, text, size);
	length = cape_files_agree(runtime, length, "readlink()");
	if (length > 0) {
		cape_one_truth(runtime, text, (size_t)length, "readlink()");
		memcpy(to, text, (size_t)length);
	}
	return length;
}

static ssize_t read_link(int folder, const char *path, char *to, size_t size)
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_need_touch_text(path);
	cape_need_touch(to, size);
	cape_description_await_master(runtime);
	return cape_is_replicated(runtime) ? read_link_alike(runtime, folder, path, to, size)
					   : syscall(SYS_readlinkat, folder, path, to, size);
}

CAPE_FUNCTION_IS(ssize_t, readlink, (const char *restrict path, char *restrict to, size_t size),
		 read_link(AT_FDCWD, path, to, size))
CAPE_FUNCTION_IS(ssize_t, readlinkat,
		 (int folder, const char *restrict path, char *restrict to, size_t size),
		 read_link(folder, path, to, size))

static void check_room(size_t size, size_t room)
{
	if (size > room)
		cape_fail(cape_runtime_get(), 0, "*** buffer overflow detected ***: terminated");
}

CAPE_FUNCTION(ssize_t, __readlink_chk, (const char *path, char *to, size_t size, size_t room))
{
	check_room(size, room);
	return read_link(AT_FDCWD, path, to, size);
}

CAPE_FUNCTION(ssize_t, __readlinkat_chk,
	      (int folder, const char *path, char *to, size_t size, size_t room))
{
	check_room(size, room);
	return read_link(folder, path, to, size);
}

/* NAME, which goes through folders by itself. */
#define LOOKS(type, name, parameters, arguments)                                                   \
	CAPE_FUNCTION(type, name, parameters)                                                      \
	{                                                                                          \
		look();                                                                            \
		return CAPE_OWN_FUNCTION(name) arguments;                                          \
	}

/* The same, which calls what the program has given it: on the program's stack. */
#define LOOKS_FOR(type, name, parameters, arguments)                                               \
	CAPE_FUNCTION(type, name, parameters)                                                      \
	{                                                                                          \
		type result;                                                                       \
                                                                                                   \
		look();                                                                            \
		result = CAPE_OWN_FUNCTION(name) arguments;                                        \
		cape_frame_wipe();                                                                 \
		return result;                                                                     \
	}

static void look(void)
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_files_await_master(runtime);
	runtime->files->read |= cape_is_replicated(runtime);
}

#define LIST                                                                                       \
	struct dirent ***list, int (*choose)(const struct dirent *),                               \
		int (*compare)(const struct dirent **, const struct dirent **)

LOOKS_FOR(int, scandir, (const char *path, LIST), (path, list, choose, compare))
CAPE_SAME_FUNCTION(scandir64, scandir);
LOOKS_FOR(int, scandirat, (int folder, const char *path, LIST),
	  (folder, path, list, choose, compare))
CAPE_SAME_FUNCTION(scandirat64, scandirat);
LOOKS(DIR *, fdopendir, (int folder), (folder))
LOOKS_FOR(int, glob,
	  (const char *pattern, int flags, int (*failed)(const char *, int), glob_t *found),
	  (pattern, flags, failed, found))
CAPE_SAME_FUNCTION(glob64, glob);
LOOKS_FOR(int, ftw, (const char *path, __ftw_func_t visit, int open), (path, visit, open))
CAPE_SAME_FUNCTION(ftw64, ftw);
LOOKS_FOR(int, nftw, (const char *path, __nftw_func_t visit, int open, int flags),
	  (path, visit, open, flags))
CAPE_SAME_FUNCTION(nftw64, nftw);
LOOKS_FOR(FTS *, fts_open,
	  (char *const *paths, int options, int (*compare)(const FTSENT **, const FTSENT **)),
	  (paths, options, compare))
CAPE_SAME_FUNCTION(fts64_open, fts_open);
LOOKS(char *, realpath, (const char *path, char *to), (path, to))
LOOKS(char *, __realpath_chk, (const char *path, char *to, size_t room), (path, to, room))
LOOKS(char *, canonicalize_file_name, (const char *path), (path))
