/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * file_functions.c - the functions on descriptors that a program calls, under their names.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "system/libc.h"
#include "need/need.h"
#include "replica/description.h"
#include "replica/file_calls.h"
#include "replica/outcomes.h"

#define PIECE 16384
#define HERE  (-1) /* where the descriptor is */

CAPE_STAND_IN(read, cape_file_read);
CAPE_STAND_IN(write, cape_file_write);
CAPE_STAND_IN(pread, cape_file_read_at);
CAPE_STAND_IN(pread64, cape_file_read_at);
CAPE_STAND_IN(pwrite, cape_file_write_at);
CAPE_STAND_IN(pwrite64, cape_file_write_at);
CAPE_STAND_IN(lseek, cape_file_seek);
CAPE_STAND_IN(lseek64, cape_file_seek);
CAPE_STAND_IN(close, cape_file_close);

CAPE_FUNCTION(int, ftruncate, (int descriptor, off_t size))
{
	return cape_file_change(
		descriptor, (struct cape_service_request){.file = {.operation = CAPE_FILE_TRUNCATE,
								   .offset = (uint64_t)size}});
}

CAPE_FUNCTION(int, fsync, (int descriptor))
{
	return cape_file_change(descriptor,
				(struct cape_service_request){.file.operation = CAPE_FILE_SYNC});
}

CAPE_FUNCTION(int, fallocate, (int descriptor, int mode, off_t offset, off_t size))
{
	return cape_file_change(
		descriptor, (struct cape_service_request){.file = {.operation = CAPE_FILE_ALLOCATE,
								   .offset = (uint64_t)offset,
								   .length = (uint64_t)size,
								   .how = (uint64_t)mode}});
}

CAPE_FUNCTION(int, posix_fallocate, (int descriptor, off_t offset, off_t size))
{
	int saved_errno = errno, error;

	error = cape_function_fallocate(descriptor, 0, offset, size) < 0 ? errno : 0;
	errno = saved_errno;
	return error;
}

/* Several pieces at once: whatever fits the stack, or the heap. */
static ssize_t total_of(const struct iovec *piece, int count)
{
	size_t total = 0;

	if (count < 0) {
		errno = EINVAL;
		return -1;
	}
	for (int i = 0; i < count; i++) {
		if (piece[i].iov_len > SSIZE_MAX - total) {
			errno = EINVAL;
			return -1;
		}
		total += piece[i].iov_len;
	}
	return (ssize_t)total;
}

/* Where OFFSET is the program's own. */
static bool is_place(off_t offset)
{
	if (offset < 0)
		errno = EINVAL;
	return offset >= 0;
}

/* OFFSET below 0: where the descriptor is. */
static ssize_t write_together(int descriptor, const struct iovec *piece, int count, off_t offset)
{
	ssize_t total = total_of(piece, count), done = 0, result;
	char *all = total < 0 ? NULL : malloc((size_t)total + 1);

	for (int i = 0; all && i < count; i++) {
		memcpy(all + done, piece[i].iov_base, piece[i].iov_len);
		done += (ssize_t)piece[i].iov_len;
	}
	if (!all)
		return -1;
	result = offset < 0 ? cape_file_write(descriptor, all, (size_t)total)
			    : cape_file_write_at(descriptor, all, (size_t)total, offset);
	free(all);
	return result;
}

/* Whether the kernel can be given the pieces as they are; *TOTAL: their bytes, or below 0. */
static bool writes_at_once(int descriptor, const struct iovec *piece, int count, ssize_t *total)
{
	cape_need_touch_pieces(piece, count);
	if (!cape_file_is_plain(descriptor))
		return false;
	*total = total_of(piece, count);
	return *total < 0 || !cape_outcome_is_asked(cape_runtime_get(), descriptor, (size_t)*total);
}

static ssize_t written(int descriptor, ssize_t result, ssize_t total, const char *what)
{
	return cape_outcome_check(cape_runtime_get(), descriptor, result, (size_t)total, what);
}

static ssize_t read_together(int descriptor, const struct iovec *piece, int count, off_t offset)
{
	ssize_t total = total_of(piece, count), at = 0, got;
	char *all = total < 0 ? NULL : malloc((size_t)total + 1);

	if (!all)
		return -1;
	got = offset < 0 ? cape_file_read(descriptor, all, (size_t)total)
			 : cape_file_read_at(descriptor, all, (size_t)total, offset);
	for (int i = 0; i < count && at < got; i++) {
		size_t left = (size_t)(got - at);
		size_t part = piece[i].iov_len < left ? piece[i].iov_len : left;

		memcpy(piece[i].iov_base, all + at, part);
		at += (ssize_t)part;
	}
	free(all);
	return got;
}

/* Of FLAGS those that change what is read or written need a file of this node alone. */
static bool are_known(int flags)
{
	if (!(flags & ~(RWF_HIPRI | RWF_DSYNC | RWF_SYNC)))
		return true;
	errno = EOPNOTSUPP;
	return false;
}

/* At OFFSET, or where the descriptor is (HERE), which the kernel takes as we do. */
static ssize_t read_pieces(int descriptor, const struct iovec *piece, int count, off_t offset,
			   int flags)
{
	cape_need_touch_pieces(piece, count);
	if (cape_file_is_plain(descriptor))
		return syscall(SYS_preadv2, descriptor, piece, count, offset, 0, flags);
	return are_known(flags) && (offset == HERE || is_place(offset))
		       ? read_together(descriptor, piece, count, offset)
		       : -1;
}

static ssize_t write_pieces(int descriptor, const struct iovec *piece, int count, off_t offset,
			    int flags, const char *what)
{
	ssize_t total;

	if (writes_at_once(descriptor, piece, count, &total))
		return written(descriptor,
			       syscall(SYS_pwritev2, descriptor, piece, count, offset, 0, flags),
			       total, what);
	return are_known(flags) && (offset == HERE || is_place(offset))
		       ? write_together(descriptor, piece, count, offset)
		       : -1;
}

CAPE_FUNCTION_IS(ssize_t, readv, (int descriptor, const struct iovec *piece, int count),
		 read_pieces(descriptor, piece, count, HERE, 0))
CAPE_FUNCTION_IS(ssize_t, preadv,
		 (int descriptor, const struct iovec *piece, int count, off_t offset),
		 is_place(offset) ? read_pieces(descriptor, piece, count, offset, 0) : -1)
CAPE_FUNCTION_IS(ssize_t, preadv2,
		 (int descriptor, const struct iovec *piece, int count, off_t offset, int flags),
		 read_pieces(descriptor, piece, count, offset, flags))
CAPE_FUNCTION_IS(ssize_t, writev, (int descriptor, const struct iovec *piece, int count),
		 write_pieces(descriptor, piece, count, HERE, 0, "writev()"))
CAPE_FUNCTION_IS(ssize_t, pwritev,
		 (int descriptor, const struct iovec *piece, int count, off_t offset),
		 is_place(offset) ? write_pieces(descriptor, piece, count, offset, 0, "pwritev()")
				  : -1)
CAPE_FUNCTION_IS(ssize_t, pwritev2,
		 (int descriptor, const struct iovec *piece, int count, off_t offset, int flags),
		 write_pieces(descriptor, piece, count, offset, flags, "pwritev2()"))

/* At *AT, which moves on, or where the descriptor is. */
static ssize_t read_from(int from, off_t *at, char *to, size_t size)
{
	return at ? cape_file_read_at(from, to, size, *at) : cape_file_read(from, to, size);
}

static ssize_t write_to(int to, const off_t *at, const char *from, size_t size)
{
	return at ? cape_file_write_at(to, from, size, *at) : cape_file_write(to, from, size);
}

static ssize_t copy(int to, off_t *to_at, int from, off_t *from_at, size_t size)
{
	char piece[PIECE];
	size_t done = 0;

	while (done < size) {
		size_t part = size - done < PIECE ? size - done : PIECE;
		ssize_t got = read_from(from, from_at, piece, part), put;

		if (got <= 0)
			return done ? (ssize_t)done : got;
		put = write_to(to, to_at, piece, (size_t)got);
		if (put < 0)
			return done ? (ssize_t)done : put;
		if (from_at)
			*from_at += put;
		if (to_at)
			*to_at += put;
		done += (size_t)put;
	}
	return (ssize_t)done;
}

CAPE_FUNCTION(ssize_t, sendfile, (int to, int from, off_t *at, size_t size))
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_need_touch(at, sizeof(*at));
	if (cape_is_shared_file(runtime, to) || cape_is_shared_file(runtime, from) ||
	    cape_outcome_is_common(runtime, to))
		return copy(to, NULL, from, at, size);
	return syscall(SYS_sendfile, to, from, at, size);
}

CAPE_FUNCTION(ssize_t, copy_file_range,
	      (int from, off_t *from_at, int to, off_t *to_at, size_t size, unsigned int flags))
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_need_touch(from_at, sizeof(*from_at));
	cape_need_touch(to_at, sizeof(*to_at));
	if (cape_is_shared_file(runtime, to) || cape_is_shared_file(runtime, from) ||
	    cape_outcome_is_common(runtime, to))
		return copy(to, to_at, from, from_at, size);
	return syscall(SYS_copy_file_range, from, from_at, to, to_at, size, flags);
}

CAPE_FUNCTION_IS(int, dup, (int descriptor), cape_file_duplicate(descriptor, F_DUPFD, 0, 0))
CAPE_FUNCTION_IS(int, dup2, (int from, int to), cape_file_duplicate(from, -1, to, -1))
CAPE_FUNCTION_IS(int, dup3, (int from, int to, int flags), cape_file_duplicate(from, -1, to, flags))

CAPE_FUNCTION(int, fcntl, (int descriptor, int command, ...))
{
	va_list arguments;
	long argument;

	va_start(arguments, command);
	argument = va_arg(arguments, long);
	va_end(arguments);
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		return cape_file_duplicate(descriptor, command, (int)argument, 0);
	cape_need_touch((const void *)argument, sizeof(struct flock));
	return fcntl(descriptor, command, argument);
}

CAPE_SAME_FUNCTION(fcntl64, fcntl);
CAPE_SAME_FUNCTION(ftruncate64, ftruncate);
CAPE_SAME_FUNCTION(fdatasync, fsync);
CAPE_SAME_FUNCTION(fallocate64, fallocate);
CAPE_SAME_FUNCTION(posix_fallocate64, posix_fallocate);
CAPE_SAME_FUNCTION(pwritev64, pwritev);
CAPE_SAME_FUNCTION(pwritev64v2, pwritev2);
CAPE_SAME_FUNCTION(preadv64, preadv);
CAPE_SAME_FUNCTION(preadv64v2, preadv2);
CAPE_SAME_FUNCTION(sendfile64, sendfile);

/* From glibc 2.37 on the library's own writes by itself, as streams do not. */
CAPE_FUNCTION(int, vdprintf, (int descriptor, const char *format, va_list list))
{
	va_list again;
	char *text = NULL;
	int length;

	va_copy(again, list);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length >= 0)
		text = malloc((size_t)length + 1);
	if (!text)
		return -1;
	vsnprintf(text, (size_t)length + 1, format, list);
	for (int done = 0; done < length;) {
		ssize_t put = cape_file_write(descriptor, text + done, (size_t)(length - done));

		if (put < 0) {
			length = -1;
			break;
		}
		done += (int)put;
	}
	free(text);
	return length;
}

CAPE_FUNCTION(int, __vdprintf_chk, (int descriptor, int flag, const char *format, va_list list))
{
	(void)flag;
	return cape_function_vdprintf(descriptor, format, list);
}

CAPE_FUNCTION(int, dprintf, (int descriptor, const char *format, ...))
{
	va_list list;
	int length;

	va_start(list, format);
	length = CAPE_CALL_STAND_IN(vdprintf, descriptor, format, list);
	va_end(list);
	return length;
}

CAPE_FUNCTION(int, __dprintf_chk, (int descriptor, int flag, const char *format, ...))
{
	va_list list;
	int length;

	(void)flag;
	va_start(list, format);
	length = CAPE_CALL_STAND_IN(vdprintf, descriptor, format, list);
	va_end(list);
	return length;
}

/* What -D_FORTIFY_SOURCE makes of read() and pread(). */
static void check_room(size_t size, size_t room)
{
	if (size > room)
		cape_fail(cape_runtime_get(), 0, "*** buffer overflow detected ***: terminated");
}

CAPE_FUNCTION(ssize_t, __read_chk, (int descriptor, void *to, size_t size, size_t room))
{
	check_room(size, room);
	return cape_file_read(descriptor, to, size);
}

CAPE_FUNCTION(ssize_t, __pread_chk,
	      (int descriptor, void *to, size_t size, off_t offset, size_t room))
{
	check_room(size, room);
	return cape_file_read_at(descriptor, to, size, offset);
}

CAPE_SAME_FUNCTION(__pread64_chk, __pread_chk);
