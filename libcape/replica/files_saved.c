// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * files_saved.c - the files that sequential code has open, saved as node 0 has them and opened
 * again on all nodes: under the same numbers, as long as they were, at the same place.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include "base/saved.h"
#include "memory/area.h"
#include "memory/track.h"
#include "need/need.h"
#include "replica/file_calls.h"
#include "replica/files.h"
#include "replica/input.h"
#include "replica/open_files.h"
#include "replica/output.h"
#include "replica/region_files.h"
#include "system/libc.h"
#include "system/own_status.h"

#define PATH_LIMIT 4096
#define ONE_FILE   0 /* of kcmp(): KCMP_FILE */

enum kind {
	STANDARD, /* what cape-run has given the program: stays what it is */
	CLOSED,
	FILE_AGAIN, /* what NUMBER of OF is, and has the same place */
	REGULAR,
	DEVICE,
	REFUSED,
};

struct file {
	int32_t number, of;
	uint32_t kind; /* enum kind */
	int32_t flags; /* of open() */
	int64_t place; /* below 0: it has none */
	int64_t size;
	int64_t close_at_exec;
	char path[PATH_LIMIT];
};

static const char *name_of(const struct stat *status)
{
	switch (status->st_mode & S_IFMT) {
	case S_IFSOCK:
		return "a socket";
	case S_IFIFO:
		return "a pipe";
	case S_IFDIR:
		return "a folder";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	case S_IFREG:
		return status->st_nlink ? "a file of /proc" : "a file that is deleted";
	default:
		return "no file";
	}
}

/* What it says is of this process, and its path has this process's number. */
static bool is_of_proc(int number)
{
	struct statfs status;

	return syscall(SYS_fstatfs, number, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

static enum kind kind_of(struct cape_runtime *runtime, int number, struct stat *status)
{
	if (cape_own_status(number, status) < 0)
		return CLOSED;
	if (cape_output_is_original(runtime, number))
		return STANDARD;
	if (S_ISREG(status->st_mode) && status->st_nlink > 0)
		return is_of_proc(number) ? REFUSED : REGULAR;
	if (S_ISCHR(status->st_mode) && major(status->st_rdev) == CAPE_MEMORY_DEVICES)
		return DEVICE;
	return REFUSED;
}

/* Whether both are of one description, where kcmp() is refused: what is set of one shows. */
static bool share_flags(int one, int other)
{
	int flags = fcntl(one, F_GETFL), others = fcntl(other, F_GETFL);
	bool same;

	if (flags < 0 || flags != others || fcntl(one, F_SETFL, flags ^ O_NONBLOCK) < 0)
		return false;
	same = fcntl(other, F_GETFL) != others;
	fcntl(one, F_SETFL, flags);
	return same;
}

static bool is_one(int one, int other)
{
	long self = syscall(SYS_getpid);
	long order = syscall(SYS_kcmp, self, self, ONE_FILE, one, other);

	return order < 0 ? share_flags(one, other) : order == 0;
}

/* A number below NUMBER of the same description, or -1. */
static int32_t same_as(int number)
{
	for (int other = 0; other < number; other++)
		if (is_one(other, number))
			return other;
	return -1;
}

/* The first of the program's descriptors beyond CAPE's own, or -1. */
static int find_high(const struct cape_runtime *runtime)
{
	char bytes[4096];
	int list = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/fd",
				O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	int found = -1;
	long size;

	while (list >= 0 && found < 0 &&
	       (size = syscall(SYS_getdents64, list, bytes, sizeof(bytes))) > 0)
		for (long at = 0; at < size;) {
			const struct dirent64 *entry = (const struct dirent64 *)(bytes + at);
			int number = atoi(entry->d_name);

			if (number > CAPE_LAST_FD && number != list &&
			    number != runtime->areas->pagemap && number != runtime->track->file &&
			    number != runtime->need->hidden.file &&
			    !cape_open_files_is_held(runtime, number))
				found = number;
			at += entry->d_reclen;
		}
	if (list >= 0)
		close(list);
	return found;
}

static void look(struct cape_runtime *runtime, int number, struct file *file)
{
	char link[64];
	struct stat status;
	long length;

	memset(file, 0, sizeof(*file));
	file->number = number;
	file->kind = kind_of(runtime, number, &status);
	if (file->kind == CLOSED)
		return;
	file->size = status.st_size;
	file->place = lseek(number, 0, SEEK_CUR);
	if (file->kind == STANDARD && number == STDIN_FILENO && cape_input_flows())
		file->place = -1;
	file->flags = fcntl(number, F_GETFL);
	file->close_at_exec = fcntl(number, F_GETFD) & FD_CLOEXEC;
	if (file->kind == STANDARD)
		return;
	file->of = same_as(number);
	if (file->of >= 0)
		file->kind = FILE_AGAIN;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", number);
	length = syscall(SYS_readlink, link, file->path, PATH_LIMIT - 1);
	file->path[length > 0 ? length : 0] = '\0';
}

static bool is_to_save(const struct file *file)
{
	return file->kind != CLOSED || file->number <= STDERR_FILENO;
}

static const char *refuse_in_region(struct cape_runtime *runtime)
{
	const struct cape_open_files *files = runtime->files;

	for (int i = 0; i < files->end; i++) {
		if (files->file[i].kind == CAPE_OPEN_OWN ||
		    files->file[i].kind == CAPE_OPEN_UNKNOWN)
			return "it has opened a file in the region";
		if (files->changed && files->file[i].change.close)
			return "it has closed a file in the region";
	}
	return NULL;
}

static const char *refuse(struct cape_runtime *runtime)
{
	const char *in_region = runtime->in_region ? refuse_in_region(runtime) : NULL;
	char *why = runtime->channel->save.refusal;
	struct stat status;
	int high = runtime->node == 0 ? find_high(runtime) : -1;

	if (in_region)
		return in_region;
	if (high >= 0) {
		snprintf(why, sizeof(runtime->channel->save.refusal),
			 "the program has a file descriptor above %d open (%d)", CAPE_FIRST_FD - 1,
			 high);
		return why;
	}
	for (int i = 0; i < CAPE_FIRST_FD && runtime->node == 0; i++) {
		if (kind_of(runtime, i, &status) != REFUSED)
			continue;
		snprintf(why, sizeof(runtime->channel->save.refusal),
			 "the program has %s open (file descriptor %d)", name_of(&status), i);
		return why;
	}
	return NULL;
}

static uint64_t put(struct cape_runtime *runtime, unsigned char *to)
{
	uint64_t used = 0;

	for (int i = 0; i < CAPE_FIRST_FD && runtime->node == 0; i++) {
		struct file file;

		look(runtime, i, &file);
		if (!is_to_save(&file))
			continue;
		if (to)
			memcpy(to + used, &file, sizeof(file));
		used += sizeof(file);
	}
	return used;
}

static void fail(struct cape_runtime *runtime, const struct file *file, const char *why)
{
	cape_fail(runtime, 0, "node %u: the run cannot continue here: '%.300s': %s", runtime->node,
		  file->path, why);
}

static void open_again(struct cape_runtime *runtime, const struct file *file)
{
	const struct cape_service_request truncate = {
		.kind = CAPE_SERVICE_FILE,
		.file = {.operation = CAPE_FILE_TRUNCATE, .offset = (uint64_t)file->size}};
	int flags = file->flags & ~(O_CREAT | O_EXCL | O_TRUNC);
	int number = cape_files_open(file->path, flags, 0);
	struct stat status;

	if (number < 0 || cape_own_status(number, &status) < 0)
		fail(runtime, file, strerror(errno));
	if (file->kind == REGULAR && status.st_size < file->size)
		fail(runtime, file, "it is shorter than it was");
	if (file->kind == REGULAR && (flags & O_ACCMODE) != O_RDONLY &&
	    cape_file_change(number, truncate) < 0)
		fail(runtime, file, strerror(errno));
	if (file->place >= 0)
		lseek(number, file->place, SEEK_SET);
	if (number == file->number)
		return;
	cape_file_duplicate(number, -1, file->number, -1);
	cape_file_close(number);
}

/* Standard input: the same file again, where it was one. */
static void find_place(struct cape_runtime *runtime, const struct file *file)
{
	struct stat status;

	if (file->number != STDIN_FILENO || file->place <= 0)
		return;
	if (cape_own_status(STDIN_FILENO, &status) < 0 || !S_ISREG(status.st_mode) ||
	    status.st_size < file->place)
		cape_fail(runtime, 0,
			  "the run cannot continue: it had read %lld bytes of the file that was "
			  "its standard input; use that file as standard input again",
			  (long long)file->place);
	lseek(STDIN_FILENO, file->place, SEEK_SET);
}

static void take_one(struct cape_runtime *runtime, const struct file *file)
{
	switch (file->kind) {
	case STANDARD:
		find_place(runtime, file);
		return;
	case CLOSED:
		cape_file_close(file->number);
		return;
	case FILE_AGAIN:
		cape_file_duplicate(file->of, -1, file->number, -1);
		break;
	default:
		open_again(runtime, file);
	}
	if (file->close_at_exec)
		fcntl(file->number, F_SETFD, FD_CLOEXEC);
}

static void take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	for (; size >= sizeof(struct file);
	     from += sizeof(struct file), size -= sizeof(struct file))
		take_one(runtime, (const struct file *)from);
}

/* What was read ahead of a pipe stays, whatever standard input is now. */
static void finish(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	const struct file *input = (const struct file *)from;

	(void)runtime;
	if (size >= sizeof(*input) && input->number == STDIN_FILENO && input->kind == STANDARD &&
	    input->place < 0)
		cape_input_flow();
}

CAPE_SAVED(files, .refuse = refuse, .put = put, .take = take, .finish = finish);

/* -- what this node has done to files in a region, which all settle after it ---------------- */

static uint64_t put_changes(struct cape_runtime *runtime, unsigned char *to)
{
	if (!runtime->in_region)
		return 0;
	if (to)
		cape_region_files_put(runtime, to);
	return cape_region_files_size(runtime);
}

/* The region has been entered again, as if nothing had been done. */
static void finish_changes(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	if (runtime->in_region)
		cape_region_files_take(runtime, from, size, runtime->node);
}

CAPE_SAVED(files_in_region, .of_node = true, .put = put_changes, .finish = finish_changes);
