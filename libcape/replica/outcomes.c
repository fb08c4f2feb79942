/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * outcomes.c - whether node 0 is asked what came of a write, and what happens if it was not.
 */
#include "replica/outcomes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include "message/one_truth.h"
#include "replica/open_files.h"
#include "system/libc.h"
#include "system/own_status.h"

#define NULL_DEVICE 3 /* minor number */

/* Of a disk's room a descriptor may use up a part before it asks again; others write, too. */
#define LITTLE_ROOM (256ul << 20)
#define PART	    64

uint64_t cape_outcome_credit(int descriptor)
{
	int saved_errno = errno;
	struct stat status;
	struct statfs disk;
	uint64_t credit = 0, room;

	if (cape_own_status(descriptor, &status) < 0) {
		credit = 0;
	} else if (S_ISCHR(status.st_mode)) {
		if (status.st_rdev == makedev(CAPE_MEMORY_DEVICES, NULL_DEVICE))
			credit = UINT64_MAX;
	} else if (S_ISREG(status.st_mode) && syscall(SYS_fstatfs, descriptor, &disk) == 0 &&
		   !__builtin_mul_overflow(disk.f_bavail, (uint64_t)disk.f_bsize, &room) &&
		   room >= LITTLE_ROOM) {
		credit = room / PART;
	}
	errno = saved_errno;
	return credit;
}

/* The C library writes what is left after exit() has begun: nobody learns what comes of it. */
static struct cape_open_file *find_common(struct cape_runtime *runtime, int descriptor)
{
	struct cape_open_file *file;

	if (!runtime->files->end || !cape_is_replicated(runtime) || runtime->channel->state.exited)
		return NULL;
	file = cape_open_files_find(runtime, descriptor);
	return file && file->common ? file : NULL;
}

bool cape_outcome_is_common(struct cape_runtime *runtime, int descriptor)
{
	return find_common(runtime, descriptor);
}

bool cape_outcome_is_asked(struct cape_runtime *runtime, int descriptor, size_t size)
{
	struct cape_open_file *file = find_common(runtime, descriptor);

	if (!file)
		return false;
	if (!file->credit || size > file->credit)
		return true;
	if (file->credit != UINT64_MAX)
		file->credit -= size;
	return false;
}

/* Only node 0 got the signal, and did not end by it. */
static void raise_signal(int error)
{
	struct rlimit limit;

	if (error == EPIPE)
		raise(SIGPIPE);
	else if (error == EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
		 limit.rlim_cur != RLIM_INFINITY)
		raise(SIGXFSZ);
}

long cape_outcome_agree(struct cape_runtime *runtime, int descriptor, long result, const char *what)
{
	struct {
		long result, error, descriptor;
		uint64_t credit;
	} outcome = {result, result < 0 ? errno : 0, descriptor, 0};

	if (runtime->node == 0)
		outcome.credit = cape_outcome_credit(descriptor);
	cape_one_truth(runtime, &outcome, sizeof(outcome), what);
	if (outcome.descriptor != descriptor)
		cape_fail(
			runtime, 0,
			"node %u uses file descriptor %d while node 0 uses %ld, in %s: sequential "
			"code ran differently",
			runtime->node, descriptor, outcome.descriptor, what);
	cape_open_files_find(runtime, descriptor)->credit = outcome.credit;
	if (outcome.result < 0) {
		if (runtime->node > 0)
			raise_signal((int)outcome.error);
		errno = (int)outcome.error;
	}
	return outcome.result;
}

void cape_outcome_fail(struct cape_runtime *runtime, int descriptor, const char *what, int error,
		       const char *afterwards)
{
	const char *file = runtime->channel->state.file;
	char name[CAPE_OPEN_NAME], place[256] = "before its first construct: ";

	cape_open_files_name(runtime, descriptor, name);
	if (file[0])
		snprintf(place, sizeof(place), "at or after %.200s:%d: ", file,
			 runtime->channel->state.line);
	cape_fail(runtime, 0, "node %u: %s%s: '%.300s': %s; %s", runtime->node, place, what, name,
		  error ? strerror(error) : "only a part was written", afterwards);
}

/* At the limit for the length of files, which copies meet, too. */
static bool is_at_limit(int descriptor)
{
	struct rlimit limit;
	struct stat status;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	       cape_own_status(descriptor, &status) == 0 &&
	       (rlim_t)status.st_size >= limit.rlim_cur;
}

/* What is wrong with the call itself is so on every node. */
static bool is_alike(int descriptor, long result)
{
	if (result < 0 && (errno == EBADF || errno == EFAULT || errno == EINVAL))
		return true;
	return (result >= 0 || errno == EFBIG) && is_at_limit(descriptor);
}

long cape_outcome_check(struct cape_runtime *runtime, int descriptor, long result, size_t size,
			const char *what)
{
	int error = result < 0 ? errno : 0;

	if (result == (long)size || !find_common(runtime, descriptor))
		return result;
	if (!is_alike(descriptor, result))
		cape_outcome_fail(runtime, descriptor, what, error,
				  "other nodes have continued as if it had succeeded; check that "
				  "disk and run the program again");
	if (error)
		errno = error;
	return result;
}
