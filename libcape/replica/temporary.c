// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * temporary.c - temporary files of sequential code: node 0 makes them and finds their names.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "system/libc.h"
#include "memory/frame.h"
#include "replica/files.h"
#include "message/one_truth.h"
#include "need/need.h"

/* Node 0's name, or what it is after an error, for all. */
static void share_name(struct cape_runtime *runtime, char *name)
{
	cape_one_truth(runtime, name, strlen(name), "a temporary file's name");
}

/* Not inlined: its frame is wiped by the caller. */
static __attribute__((noinline)) int make_once(struct cape_runtime *runtime, char *name, int suffix,
					       int flags, int (*own)(char *, int, int))
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
	int file;

	cape_need_touch_text(name);
	if (!cape_is_replicated(runtime))
		return own(name, suffix, flags);
	file = make_once(runtime, name, suffix, flags, own);
	cape_frame_wipe();
	return file;
}

CAPE_INTERPOSE int mkstemp(char *name)
{
	return make_file(name, 0, 0);
}

CAPE_INTERPOSE int mkstemp64(char *name)
{
	return make_file(name, 0, 0);
}

CAPE_INTERPOSE int mkostemp(char *name, int flags)
{
	return make_file(name, 0, flags);
}

CAPE_INTERPOSE int mkostemp64(char *name, int flags)
{
	return make_file(name, 0, flags);
}

CAPE_INTERPOSE int mkstemps(char *name, int suffix)
{
	return make_file(name, suffix, 0);
}

CAPE_INTERPOSE int mkstemps64(char *name, int suffix)
{
	return make_file(name, suffix, 0);
}

CAPE_INTERPOSE int mkostemps(char *name, int suffix, int flags)
{
	return make_file(name, suffix, flags);
}

CAPE_INTERPOSE int mkostemps64(char *name, int suffix, int flags)
{
	return make_file(name, suffix, flags);
}

CAPE_INTERPOSE char *mkdtemp(char *name)
{
	char *(*own)(char *) = (char *(*)(char *))dlsym(RTLD_NEXT, "mkdtemp");
	struct cape_runtime *runtime = cape_runtime_get();
	long result = 0;

	cape_need_touch_text(name);
	if (!cape_is_replicated(runtime))
		return own(name);
	if (runtime->node == 0 && !own(name))
		result = -1;
	result = cape_files_agree(runtime, result, "mkdtemp()");
	share_name(runtime, name);
	return result < 0 ? NULL : name;
}

CAPE_INTERPOSE char *tmpnam(char name[L_tmpnam])
{
	static char kept[L_tmpnam];
	char *(*own)(char *) = (char *(*)(char *))dlsym(RTLD_NEXT, "tmpnam");
	struct cape_runtime *runtime = cape_runtime_get();
	char *to = name ? name : kept;

	cape_need_touch(to, L_tmpnam);
	if (!cape_is_replicated(runtime))
		return own(name);
	memset(to, 0, L_tmpnam);
	if (runtime->node == 0)
		own(to);
	cape_one_truth(runtime, to, L_tmpnam, "tmpnam()");
	return to;
}

/* Its name is gone at once on node 0, as it is without CAPE. */
CAPE_INTERPOSE FILE *tmpfile(void)
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
	return stream;
}

CAPE_INTERPOSE FILE *tmpfile64(void)
{
	return tmpfile();
}
