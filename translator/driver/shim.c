/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shim.c - a folder with the names of compilers, for build systems in which these are written. */
#include "shim.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile.h"

/* How every shim begins, so that none is taken for a compiler. */
#define MARK "#!/bin/sh\n# Made by cape-cc --shim.\n"

static const char *const names[] = {"gcc", "cc", "clang"};

static bool is_shim(const char *path)
{
	char begin[sizeof(MARK)] = "";
	FILE *file = fopen(path, "re");
	size_t got = file ? fread(begin, 1, sizeof(begin) - 1, file) : 0;

	if (file)
		fclose(file);
	return got == sizeof(begin) - 1 && !strcmp(begin, MARK);
}

/* Where in PATH the compiler NAME is, to be freed, or NULL. */
static char *find_compiler(const char *name)
{
	const char *path = getenv("PATH");

	for (const char *at = path ? path : ""; *at; at += *at == ':') {
		size_t length = strcspn(at, ":");
		char *file = format_text("%.*s/%s", (int)length, at, name);

		at += length;
		if (*file == '/' && !access(file, X_OK) && !is_shim(file))
			return file;
		free(file);
	}
	return NULL;
}

/* CAPE_CC is split at spaces, and a quote would end the shell's word. */
static bool can_be_written(const char *path, bool as_word)
{
	if (!strchr(path, '\'') && !(as_word && strchr(path, ' ')))
		return true;
	fprintf(stderr, "cape-cc: --shim: '%s' has a quote or a space in its name\n", path);
	return false;
}

static bool write_shim(const char *folder, const char *name, const char *compiler, const char *own)
{
	char *path = format_text("%s/%s", folder, name);
	FILE *file;
	bool done;

	if (!can_be_written(compiler, true) || !can_be_written(own, false)) {
		free(path);
		return false;
	}
	unlink(path);
	file = fopen(path, "wxe");
	done = file && fprintf(file,
			       MARK "[ \"$*\" != --version ] || exec '%s' --version\n"
				    "CAPE_CC='%s' exec '%s' \"$@\"\n",
			       compiler, compiler, own) > 0;
	done = file && !fclose(file) && done && !chmod(path, 0755);
	if (!done)
		fprintf(stderr, "cape-cc: cannot write '%s': %s\n", path, strerror(errno));
	free(path);
	return done;
}

static int make_all(const char *folder, const char *own)
{
	int made = 0;
	char *line;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *compiler = find_compiler(names[i]);
		bool done = !compiler || write_shim(folder, names[i], compiler, own);

		made += compiler != NULL;
		free(compiler);
		if (!done)
			return EXIT_FAILURE;
	}
	if (!made) {
		fputs("cape-cc: --shim: there is no gcc, cc or clang in PATH\n", stderr);
		return EXIT_FAILURE;
	}
	line = format_text("PATH=%s:$PATH\n", folder);
	made = write_answer(line, strlen(line));
	free(line);
	return made;
}

int shim_make(const char *folder, const char *own)
{
	char path[PATH_MAX];

	if ((mkdir(folder, 0777) < 0 && errno != EEXIST) || !realpath(folder, path)) {
		fprintf(stderr, "cape-cc: cannot make '%s': %s\n", folder, strerror(errno));
		return EXIT_FAILURE;
	}
	return make_all(path, own);
}
