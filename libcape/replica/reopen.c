// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * reopen.c - freopen(): another file for a stream, opened as fopen() opens one.
 *
 * The C library opens the file inside it, where no function of ours can stand in.  It is given
 * /dev/null to open instead, which never fails, and the descriptor of that is replaced.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include "system/libc.h"
#include "memory/frame.h"
#include "replica/description.h"
#include "replica/files.h"
#include "message/one_truth.h"
#include "replica/open_files.h"

#define MODE_SIZE 64 /* more of a mode says nothing to the C library */
#define PATH_SIZE 4096

static FILE *own_freopen(const char *path, const char *mode, FILE *stream)
{
	FILE *(*own)(const char *, const char *, FILE *) =
		(FILE * (*)(const char *, const char *, FILE *)) dlsym(RTLD_NEXT, "freopen");

	return own(path, mode, stream);
}

/* MODE without the x, by which the C library would open nothing that is there already. */
static void drop_exclusive(char *to, const char *mode)
{
	bool options = true; /* which end at a comma */
	size_t length = 0;

	for (; *mode && length < MODE_SIZE - 1; mode++) {
		options = options && *mode != ',';
		if (*mode != 'x' || !options)
			to[length++] = *mode;
	}
	to[length] = '\0';
}

/* Closes STREAM as freopen() does when there is no such file. */
static FILE *close_stream(struct cape_runtime *runtime, const char *mode, FILE *stream)
{
	int saved_errno = errno;

	cape_open_files_remove(runtime, fileno(stream));
	own_freopen("", mode, stream);
	errno = saved_errno;
	return NULL;
}

/* STREAM goes on with DESCRIPTOR, by the number that it has had. */
static FILE *go_on(struct cape_runtime *runtime, int descriptor, const char *mode, int flags,
		   FILE *stream)
{
	char plain[MODE_SIZE];
	int number;

	cape_open_files_remove(runtime, fileno(stream));
	drop_exclusive(plain, mode);
	if (!own_freopen("/dev/null", plain, stream)) {
		close(descriptor);
		return NULL;
	}
	number = fileno(stream);
	syscall(SYS_dup3, descriptor, number, flags & O_CLOEXEC);
	cape_open_files_copy(runtime, descriptor, number);
	cape_open_files_remove(runtime, descriptor);
	close(descriptor);
	if ((flags & (O_APPEND | O_ACCMODE)) == (O_APPEND | O_WRONLY))
		lseek(number, 0, SEEK_END);
	if (cape_files_writes(flags))
		cape_files_get_buffer(stream);
	return stream;
}

/* What the nodes of a region share stays what it is until its end. */
static void refuse_shared(struct cape_runtime *runtime, FILE *stream)
{
	int number = fileno(stream);

	if (cape_is_concurrent(runtime) &&
	    ((number >= 0 && number <= STDERR_FILENO) || cape_is_shared_file(runtime, number)))
		cape_fail(runtime, 0,
			  "node %u: at or after %.200s:%d: freopen() in a region, of a stream that "
			  "was opened before the region; call it before or after the region",
			  runtime->node, runtime->channel->state.file,
			  runtime->channel->state.line);
}

/* The file that STREAM reads, if it is to be written now; else NULL: the C library will do. */
static const char *same_file(struct cape_runtime *runtime, FILE *stream, int flags, char *path)
{
	const struct cape_open_file *file = cape_open_files_find(runtime, fileno(stream));
	char link[64];
	ssize_t length;

	if (!file || file->kind != CAPE_OPEN_READ || !cape_files_writes(flags))
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fileno(stream));
	length = syscall(SYS_readlink, link, path, PATH_SIZE - 1);
	path[length > 0 ? length : 0] = '\0';
	return path;
}

/* Not inlined: its frame is wiped by the caller. */
static __attribute__((noinline)) FILE *reopen_own(const char *path, const char *mode, FILE *stream)
{
	struct cape_runtime *runtime = cape_runtime_get();
	int flags = cape_files_mode_flags(mode), descriptor;
	char same[PATH_SIZE];

	refuse_shared(runtime, stream);
	if (flags < 0 || !(cape_is_replicated(runtime) || cape_is_concurrent(runtime)))
		return own_freopen(path, mode, stream);
	if (!path)
		path = same_file(runtime, stream, flags, same);
	if (!path)
		return own_freopen(path, mode, stream);
	cape_own_fflush(stream);
	descriptor = cape_files_open(path, flags, 0666);
	if (descriptor < 0)
		return close_stream(runtime, mode, stream);
	return go_on(runtime, descriptor, mode, flags, stream);
}

CAPE_FUNCTION(FILE *, freopen,
	      (const char *restrict path, const char *restrict mode, FILE *restrict stream))
{
	stream = reopen_own(path, mode, stream);
	cape_frame_wipe();
	return stream;
}

CAPE_SAME_FUNCTION(freopen64, freopen);
