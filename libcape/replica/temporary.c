// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * temporary.c - temporary files of sequential code: node 0 makes them and finds their names.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "system/libc.h"
#include "system/own_status.h"
#include "replica/streams.h"
#include "replica/files.h"
#include "message/one_truth.h"
#include "need/need.h"

/* Node 0's name, or what it is after an error, for all. */
static void share_name(struct cape_runtime *runtime, char *name)
{
	cape_one_truth(runtime, name, strlen(name), "a temporary file's name");
}

static int make_once(struct cape_runtime *runtime, char *name, int suffix, int flags,
		     int (*own)(char *, int, int))
{
	int file = -1;

	if (runtime->node == 0)
		file = own(name, suffix, flags);
	file = (int)cape_files_agree(runtime, file, "mkstemp()");
	share_name(runtime, name);
	return file < 0 ? file : cape_files_stand_in(runtime, file, name);
}

static int make_file(char *name, int suffix, int flags)
{
	int (*own)(char *, int, int) = (int (*)(char *, int, int))dlsym(RTLD_NEXT, "mkostemps");
	struct cape_runtime *runtime = cape_runtime_get();

	cape_need_touch_text(name);
	return cape_is_replicated(runtime) ? make_once(runtime, name, suffix, flags, own)
					   : own(name, suffix, flags);
}

/* FUNCTION, whose file has a name that ends in SUFFIX bytes that stay. */
#define MAKES(function, parameters, suffix, flags)                                                 \
	CAPE_FUNCTION_IS(int, function, parameters, make_file(name, suffix, flags))                \
	CAPE_SAME_FUNCTION(function##64, function);

MAKES(mkstemp, (char *name), 0, 0)
MAKES(mkostemp, (char *name, int flags), 0, flags)
MAKES(mkstemps, (char *name, int suffix), suffix, 0)
MAKES(mkostemps, (char *name, int suffix, int flags), suffix, flags)

CAPE_FUNCTION(char *, mkdtemp, (char *name))
{
	struct cape_runtime *runtime = cape_runtime_get();
	long result = 0;

	cape_need_touch_text(name);
	if (!cape_is_replicated(runtime))
		return CAPE_OWN_FUNCTION(mkdtemp)(name);
	if (runtime->node == 0 && !CAPE_OWN_FUNCTION(mkdtemp)(name))
		result = -1;
	result = cape_files_agree(runtime, result, "mkdtemp()");
	share_name(runtime, name);
	return result < 0 ? NULL : name;
}

CAPE_FUNCTION(char *, tmpnam, (char name[L_tmpnam]))
{
	static char own_name[L_tmpnam];
	struct cape_runtime *runtime = cape_runtime_get();
	char *to = name ? name : own_name;

	cape_need_touch(to, L_tmpnam);
	if (!cape_is_replicated(runtime))
		return CAPE_OWN_FUNCTION(tmpnam)(name);
	memset(to, 0, L_tmpnam);
	if (runtime->node == 0)
		CAPE_OWN_FUNCTION(tmpnam)(to);
	cape_one_truth(runtime, to, L_tmpnam, "tmpnam()");
	return to;
}

CAPE_FUNCTION_IS(char *, tmpnam_r, (char name[L_tmpnam]), name ? tmpnam(name) : NULL)

static bool is_folder(const char *path)
{
	struct stat status;

	return cape_own_status_at(AT_FDCWD, path, &status, 0) == 0 && S_ISDIR(status.st_mode);
}

/* As tempnam() of the C library finds one, to NAME, of SIZE bytes.  0; below 0, and errno. */
static int find_name(const char *folder, const char *prefix, char *name, size_t size)
{
	char *(*own)(char *) = (char *(*)(char *))dlsym(RTLD_NEXT, "mktemp");
	const char *named = getauxval(AT_SECURE) ? NULL : getenv("TMPDIR");
	size_t length;

	if (named && is_folder(named))
		folder = named;
	else if (!folder || !is_folder(folder))
		folder = P_tmpdir;
	length = strlen(folder);
	while (length > 1 && folder[length - 1] == '/')
		length--;
	if ((size_t)snprintf(name, size, "%.*s/%.5sXXXXXX", (int)length, folder,
			     prefix && *prefix ? prefix : "file") >= size) {
		errno = EINVAL;
		return -1;
	}
	return *own(name) ? 0 : -1;
}

/* Node 0's, for the folders of other machines may be others: what is allocated has its length. */
static char *find_name_alike(struct cape_runtime *runtime, const char *folder, const char *prefix)
{
	char name[FILENAME_MAX] = "", *copy;
	long result = 0;

	if (runtime->node == 0)
		result = find_name(folder, prefix, name, sizeof(name));
	if (cape_files_agree(runtime, result, "tempnam()") < 0)
		return NULL;
	cape_one_truth(runtime, name, sizeof(name), "tempnam()");
	copy = malloc(strlen(name) + 1);
	return copy ? strcpy(copy, name) : NULL;
}

CAPE_FUNCTION(char *, tempnam, (const char *folder, const char *prefix))
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_need_touch_text(folder);
	cape_need_touch_text(prefix);
	if (!cape_is_replicated(runtime))
		return CAPE_OWN_FUNCTION(tempnam)(folder, prefix);
	cape_files_await_master(runtime);
	return find_name_alike(runtime, folder, prefix);
}

/* An empty name says that there was none to be had. */
CAPE_FUNCTION(char *, mktemp, (char *name))
{
	struct cape_runtime *runtime = cape_runtime_get();
	size_t size = strlen(name) + 1;
	int saved_errno = errno;

	CAPE_OWN_FUNCTION(mktemp)(name);
	if (*name)
		errno = saved_errno;
	cape_one_truth_value(runtime, name, size, "mktemp()");
	return name;
}

/* Its name is gone at once on node 0, as it is without CAPE. */
CAPE_FUNCTION(FILE *, tmpfile, (void))
{
	char name[] = P_tmpdir "/capeXXXXXX";
	int file = mkstemp(name);
	FILE *stream;

	if (file < 0)
		return NULL;
	cape_files_unlink(name);
	stream = fdopen(file, "w+");
	if (stream)
		cape_files_get_buffer(stream);
	else
		close(file);
	return cape_streams_lock_apart(cape_runtime_get(), stream);
}

CAPE_SAME_FUNCTION(tmpfile64, tmpfile);
