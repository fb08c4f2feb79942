/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * files.c - files of sequential code: opened with one result on all nodes, written once.
 *
 * The functions take the place of the C library's in the program.  Sequential code runs on every
 * node; a file that it opens for writing is opened by node 0 alone.  The other nodes write to a
 * copy of it in their memory, so that offsets, sizes and what they read back are the same.  Files
 * that are only read are read by every node; they must be on every node.  What regions do to files
 * that are open since before is description.h's.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include "system/libc.h"
#include "system/own_status.h"
#include "replica/streams.h"
#include "replica/files.h"
#include "memory/apart.h"
#include "message/one_truth.h"
#include "need/need.h"
#include "replica/description.h"
#include "replica/open_files.h"
#include "replica/outcomes.h"

#define RANDOM	8 /* minor numbers */
#define URANDOM 9

/* The result of a system call, as errno style gives it. */
struct outcome {
	long result;
	int error;
	enum cape_open_kind kind; /* of a descriptor */
	uint64_t credit;	  /* and if it is to be written (outcomes.h) */
};

static struct outcome outcome_of(long result)
{
	return (struct outcome){result, result < 0 ? errno : 0, CAPE_OPEN_NOT, 0};
}

/* What gives bytes once, and others to whoever reads again: node 0 reads it for all. */
static bool is_stream(const struct stat *status)
{
	dev_t device = status->st_rdev;

	if (S_ISFIFO(status->st_mode))
		return true;
	return S_ISCHR(status->st_mode) && major(device) == CAPE_MEMORY_DEVICES &&
	       (minor(device) == RANDOM || minor(device) == URANDOM);
}

/* /proc and /sys describe the process and the machine, and change at every look. */
static bool is_made_by_kernel(int descriptor)
{
	struct statfs system;

	return syscall(SYS_fstatfs, descriptor, &system) == 0 &&
	       (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC);
}

/* The same for a DESCRIPTOR, which is of KIND if it is a file. */
static struct outcome opened(long descriptor, enum cape_open_kind kind)
{
	struct outcome outcome = outcome_of(descriptor);
	struct stat status;

	if (descriptor < 0 || cape_own_status((int)descriptor, &status) < 0)
		return outcome;
	if (S_ISREG(status.st_mode))
		outcome.kind = is_made_by_kernel((int)descriptor) ? CAPE_OPEN_STREAM : kind;
	else if (is_stream(&status) || kind == CAPE_OPEN_COPY)
		outcome.kind = CAPE_OPEN_STREAM;
	return outcome;
}

static long agreed_on(struct cape_runtime *runtime, struct outcome *outcome, const char *what)
{
	cape_one_truth(runtime, outcome, sizeof(*outcome), what);
	if (outcome->result < 0)
		errno = outcome->error;
	return outcome->result;
}

static long agreed(struct cape_runtime *runtime, struct outcome outcome, const char *what)
{
	return agreed_on(runtime, &outcome, what);
}

long cape_files_agree(struct cape_runtime *runtime, long result, const char *what)
{
	return agreed(runtime, outcome_of(result), what);
}

CAPE_APART_VOID(cape_files_await_master, (struct cape_runtime * runtime))
{
	cape_description_await_master(runtime);
	if (runtime->files->wrote && cape_is_replicated(runtime))
		agreed(runtime, (struct outcome){0}, "a look at files");
}

/* What is open to be read may be read again before the next change. */
void cape_files_await_readers(struct cape_runtime *runtime)
{
	if (runtime->files->read)
		agreed(runtime, (struct outcome){0}, "a change of files");
	runtime->files->read = cape_open_files_has(runtime, CAPE_OPEN_READ);
}

bool cape_files_writes(int flags)
{
	return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
}

/* Only regular files are copied; a terminal, say, is just not written to. */
static void copy_contents(int from, int to)
{
	char piece[16384];
	struct stat status;
	ssize_t got;

	if (cape_own_status(from, &status) < 0 || !S_ISREG(status.st_mode))
		return;
	while ((got = read(from, piece, sizeof(piece))) > 0)
		if (write(to, piece, (size_t)got) != got)
			break;
	lseek(to, 0, SEEK_SET);
}

/* Opens the copy once more, with an offset of its own. */
static int open_again(int copy, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", copy);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW),
			    0);
}

/* COPY can be read or written as FLAGS say, no more than the file itself. */
static int limit_access(int copy, int flags)
{
	int again = open_again(copy, flags & (O_ACCMODE | O_CLOEXEC)), result;

	if (again < 0)
		return -1;
	result = (int)syscall(SYS_dup3, again, copy, flags & O_CLOEXEC);
	close(again);
	return result;
}

static int make_copy(int directory, const char *path, int flags)
{
	int copy = cape_open_files_make_copy(path, (flags & O_CLOEXEC) ? MFD_CLOEXEC : 0);
	long original;

	if (copy < 0)
		return -1;
	if (!(flags & O_TRUNC)) {
		original = syscall(SYS_openat, directory, path, O_RDONLY | O_CLOEXEC, 0);
		if (original >= 0) {
			copy_contents((int)original, copy);
			close((int)original);
		}
	}
	if ((flags & O_ACCMODE) != O_RDWR && limit_access(copy, flags) < 0)
		return -1;
	if (flags & O_APPEND)
		fcntl(copy, F_SETFL, O_APPEND);
	return copy;
}

/* Who reads FILE already gets from now on what is in COPY, as sequential code writes it. */
static void show_copy(struct cape_runtime *runtime, int copy, const struct stat *file)
{
	int reader;

	while ((reader = cape_open_files_reader_of(runtime, file)) >= 0) {
		int flags = fcntl(reader, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0;
		int again = open_again(copy, O_RDONLY | O_CLOEXEC);

		if (again < 0)
			cape_fail(runtime, 0, "node %u: cannot copy file descriptor %d: %s",
				  runtime->node, reader, strerror(errno));
		lseek(again, lseek(reader, 0, SEEK_CUR), SEEK_SET);
		syscall(SYS_dup3, again, reader, flags);
		close(again);
		cape_open_files_add(runtime, reader, CAPE_OPEN_COPY, file);
	}
}

/* This node's stand-in for a file that node 0 has just opened for writing. */
static long open_copy(struct cape_runtime *runtime, int directory, const char *path, int flags)
{
	struct stat file = {.st_ino = 0};
	int known = -1, copy;

	if (cape_own_status_at(directory, path, &file, 0) == 0)
		known = cape_open_files_copy_of(runtime, &file);
	copy = known >= 0 ? open_again(known, flags) : make_copy(directory, path, flags);
	cape_open_files_add(runtime, copy, CAPE_OPEN_COPY, &file);
	if (known < 0)
		show_copy(runtime, copy, &file);
	return copy;
}

int cape_files_stand_in(struct cape_runtime *runtime, int file, const char *path)
{
	runtime->files->wrote = true;
	if (runtime->node > 0)
		file = (int)open_copy(runtime, AT_FDCWD, path, O_RDWR | O_TRUNC);
	else
		cape_open_files_add(runtime, file, CAPE_OPEN_COPY, NULL);
	cape_open_files_share(runtime, file, 0);
	return file;
}

/* What another node than 0 has in place of a pipe. */
static int open_nothing(struct cape_runtime *runtime, int flags)
{
	int descriptor = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", flags & O_ACCMODE, 0);

	cape_open_files_add(runtime, descriptor, CAPE_OPEN_STREAM, NULL);
	return descriptor;
}

/* Node 0 has opened DESCRIPTOR for writing; who reads the file reads a copy elsewhere. */
static void add_at_master(struct cape_runtime *runtime, int descriptor, enum cape_open_kind kind)
{
	struct stat file;
	int reader;

	cape_open_files_add(runtime, descriptor, kind, NULL);
	if (kind != CAPE_OPEN_COPY || cape_own_status(descriptor, &file) < 0)
		return;
	while ((reader = cape_open_files_reader_of(runtime, &file)) >= 0)
		cape_open_files_add(runtime, reader, CAPE_OPEN_COPY, NULL);
}

static long open_for_writing(struct cape_runtime *runtime, int directory, const char *path,
			     int flags, mode_t mode)
{
	struct outcome outcome = {0, 0, CAPE_OPEN_NOT, 0};
	long result;

	cape_files_await_readers(runtime);
	runtime->files->wrote = true;
	if (runtime->node == 0) {
		outcome = opened(syscall(SYS_openat, directory, path, flags, mode), CAPE_OPEN_COPY);
		outcome.credit = cape_outcome_credit((int)outcome.result);
	}
	result = agreed_on(runtime, &outcome, "open()");
	if (result < 0)
		return result;
	if (runtime->node == 0)
		add_at_master(runtime, (int)result, outcome.kind);
	else if (outcome.kind == CAPE_OPEN_STREAM)
		result = open_nothing(runtime, flags);
	else
		result = open_copy(runtime, directory, path, flags);
	if (result < 0)
		cape_fail(runtime, 0, "node %u: cannot copy the file '%s': %s", runtime->node, path,
			  strerror(errno));
	cape_open_files_share(runtime, (int)result, outcome.credit);
	/* Node 0 writes to it, or removes it, when the others have its contents. */
	if (outcome.kind == CAPE_OPEN_COPY && !(flags & O_TRUNC))
		agreed(runtime, (struct outcome){0}, "open()");
	return result;
}

/*
 * A file that sequential code has open for writing is read from this node's copy of it.  A pipe is
 * node 0's to read: the others would take its bytes, and might wait for ever.  So are the random
 * devices: the others would get other bytes.
 */
static long open_own(struct cape_runtime *runtime, int directory, const char *path, int flags,
		     enum cape_open_kind *kind, struct stat *file)
{
	bool known = cape_own_status_at(directory, path, file, 0) == 0;
	int copy = -1;

	if (known && runtime->files->wrote)
		copy = cape_open_files_copy_of(runtime, file);
	*kind = copy >= 0 ? CAPE_OPEN_COPY : CAPE_OPEN_READ;
	if (copy >= 0 && runtime->node > 0)
		return open_again(copy, flags);
	if (known && is_stream(file) && runtime->node > 0)
		return open_nothing(runtime, flags);
	return syscall(SYS_openat, directory, path, flags, 0);
}

static long open_for_reading(struct cape_runtime *runtime, int directory, const char *path,
			     int flags)
{
	struct stat file = {.st_ino = 0};
	enum cape_open_kind kind;
	struct outcome outcome;
	long own, result;

	cape_files_await_master(runtime);
	own = open_own(runtime, directory, path, flags, &kind, &file);
	outcome = opened(own, kind);
	result = agreed_on(runtime, &outcome, "open()");
	if (result >= 0 && own < 0 && outcome.kind == CAPE_OPEN_STREAM)
		own = open_nothing(runtime, flags);
	if (result >= 0 && own < 0)
		cape_fail(runtime, 0,
			  "node %u: cannot open '%s' (%s), which node 0 can; files that a program "
			  "reads must be on every node",
			  runtime->node, path, strerror(errno));
	if (result < 0) {
		if (own >= 0)
			close((int)own);
		return result;
	}
	runtime->files->read = true;
	cape_open_files_add(runtime, (int)own, outcome.kind,
			    outcome.kind == CAPE_OPEN_COPY ? &file : NULL);
	return own;
}

static int open_everywhere(struct cape_runtime *runtime, int directory, const char *path, int flags,
			   mode_t mode)
{
	return (int)(cape_files_writes(flags)
			     ? open_for_writing(runtime, directory, path, flags, mode)
			     : open_for_reading(runtime, directory, path, flags));
}

/* What is there by this node's own memory and descriptors, which are the program's. */
static bool is_memory_of_self(const char *path, int flags)
{
	static const char folder[] = "/proc/self/";

	if (!path || strncmp(path, folder, sizeof(folder) - 1) != 0)
		return false;
	path += sizeof(folder) - 1;
	return cape_files_writes(flags) || strncmp(path, "fd/", 3) == 0 ||
	       strcmp(path, "mem") == 0 || strcmp(path, "pagemap") == 0;
}

static int open_truly(int directory, const char *path, int flags, mode_t mode)
{
	struct cape_runtime *runtime = cape_runtime_get();
	int descriptor;

	cape_need_touch_text(path);
	cape_description_await_master(runtime);
	if (!cape_is_replicated(runtime) || is_memory_of_self(path, flags)) {
		descriptor = (int)syscall(SYS_openat, directory, path, flags, mode);
		return cape_is_concurrent(runtime) ? cape_open_files_add_own(runtime, descriptor)
						   : descriptor;
	}
	return open_everywhere(runtime, directory, path, flags, mode);
}

int cape_files_open(const char *path, int flags, mode_t mode)
{
	return open_truly(AT_FDCWD, path, flags, mode);
}

static mode_t mode_argument(int flags, va_list arguments)
{
	if (flags & (O_CREAT | __O_TMPFILE))
		return va_arg(arguments, mode_t);
	return 0;
}

#define OPEN_BODY(directory)                                                                       \
	va_list arguments;                                                                         \
	mode_t mode;                                                                               \
                                                                                                   \
	va_start(arguments, flags);                                                                \
	mode = mode_argument(flags, arguments);                                                    \
	va_end(arguments);                                                                         \
	return open_truly(directory, path, flags, mode)

CAPE_FUNCTION(int, open, (const char *path, int flags, ...))
{
	OPEN_BODY(AT_FDCWD);
}

CAPE_FUNCTION(int, openat, (int directory, const char *path, int flags, ...))
{
	OPEN_BODY(directory);
}

/* What -D_FORTIFY_SOURCE makes of them where no mode is given. */
CAPE_FUNCTION_IS(int, __open_2, (const char *path, int flags), cape_files_open(path, flags, 0))
CAPE_FUNCTION_IS(int, __openat_2, (int directory, const char *path, int flags),
		 open_truly(directory, path, flags, 0))
CAPE_FUNCTION_IS(int, creat, (const char *path, mode_t mode),
		 cape_files_open(path, O_WRONLY | O_CREAT | O_TRUNC, mode))

CAPE_SAME_FUNCTION(open64, open);
CAPE_SAME_FUNCTION(openat64, openat);
CAPE_SAME_FUNCTION(__open64_2, __open_2);
CAPE_SAME_FUNCTION(__openat64_2, __openat_2);
CAPE_SAME_FUNCTION(creat64, creat);

int cape_files_mode_flags(const char *mode)
{
	int flags;

	switch (mode[0]) {
	case 'r':
		flags = 0;
		break;
	case 'w':
		flags = O_CREAT | O_TRUNC;
		break;
	case 'a':
		flags = O_CREAT | O_APPEND;
		break;
	default:
		return -1;
	}
	if (strchr(mode, '+'))
		flags |= O_RDWR;
	else
		flags |= mode[0] == 'r' ? O_RDONLY : O_WRONLY;
	if (strchr(mode, 'x'))
		flags |= O_EXCL;
	if (strchr(mode, 'e'))
		flags |= O_CLOEXEC;
	return flags;
}

void cape_files_get_buffer(FILE *stream)
{
	if (fputc(0, stream) == 0)
		__fpurge(stream);
}

CAPE_FUNCTION(FILE *, fopen, (const char *restrict path, const char *restrict mode))
{
	int flags = cape_files_mode_flags(mode), descriptor;
	FILE *stream;

	if (flags < 0) {
		errno = EINVAL;
		return NULL;
	}
	descriptor = open_truly(AT_FDCWD, path, flags, 0666);
	if (descriptor < 0)
		return NULL;
	stream = fdopen(descriptor, mode);
	if (!stream)
		close(descriptor);
	else if (cape_files_writes(flags))
		cape_files_get_buffer(stream);
	return cape_streams_lock_apart(cape_runtime_get(), stream);
}

CAPE_SAME_FUNCTION(fopen64, fopen);
