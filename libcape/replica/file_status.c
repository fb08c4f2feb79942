// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * file_status.c - stat() and its like: sequential code on every node gets node 0's answer.
 *
 * The file that sequential code writes is node 0's; what another node has of it is a copy, or on
 * another machine nothing at all.
 */
#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "system/libc.h"
#include "system/own_status.h"
#include "replica/description.h"
#include "replica/file_calls.h"
#include "replica/files.h"
#include "message/one_truth.h"
#include "need/need.h"

struct answer {
	int result;
	int error;
	struct stat status;
};

static int status_at(int directory, const char *path, struct stat *status, int flags,
		     const char *what)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct answer answer = {0};

	cape_need_touch_text(path);
	cape_need_touch(status, sizeof(*status));
	cape_description_await_master(runtime);
	if (!cape_is_replicated(runtime))
		return cape_own_status_at(directory, path, status, flags);
	answer.result = cape_own_status_at(directory, path, &answer.status, flags);
	answer.error = answer.result < 0 ? errno : 0;
	cape_one_truth(runtime, &answer, sizeof(answer), what);
	if (answer.result < 0)
		errno = answer.error;
	else
		*status = answer.status;
	return answer.result;
}

CAPE_FUNCTION_IS(int, stat, (const char *restrict path, struct stat *restrict status),
		 status_at(AT_FDCWD, path, status, 0, "stat()"))
CAPE_FUNCTION_IS(int, lstat, (const char *restrict path, struct stat *restrict status),
		 status_at(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW, "lstat()"))

CAPE_FUNCTION(int, fstat, (int descriptor, struct stat *status))
{
	if (cape_is_concurrent(cape_runtime_get()))
		return cape_file_status(descriptor, status);
	return status_at(descriptor, "", status, AT_EMPTY_PATH, "fstat()");
}

CAPE_FUNCTION_IS(int, fstatat,
		 (int directory, const char *restrict path, struct stat *restrict status,
		  int flags),
		 status_at(directory, path, status, flags, "fstatat()"))

CAPE_FUNCTION(int, statx,
	      (int directory, const char *path, int flags, unsigned int mask, struct statx *status))
{
	struct cape_runtime *runtime = cape_runtime_get();
	long result;

	cape_need_touch_text(path);
	cape_need_touch(status, sizeof(*status));
	cape_files_await_master(runtime);
	result = syscall(SYS_statx, directory, path, flags, mask, status);
	if (cape_is_replicated(runtime)) {
		result = cape_files_agree(runtime, result, "statx()");
		if (result == 0)
			cape_one_truth(runtime, status, sizeof(*status), "statx()");
	}
	return (int)result;
}

CAPE_SAME_FUNCTION(stat64, stat);
CAPE_SAME_FUNCTION(lstat64, lstat);
CAPE_SAME_FUNCTION(fstat64, fstat);
CAPE_SAME_FUNCTION(fstatat64, fstatat);
