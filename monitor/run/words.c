/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.c - reads the files in which Open MPI keeps its messages.
 */
#include "words.h"

#include <fnmatch.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/folder.h"

#define FILE_NAMES "output-*output.txt"
#define MOST	   16384

/* nftw() knows no context. */
static char text[MOST];
static size_t length;

void words_redirect(void)
{
	setenv("OPAL_OUTPUT_REDIRECT", "file", 1);
}

static int take_file(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	FILE *file;

	(void)status;
	if (kind != FTW_F || fnmatch(FILE_NAMES, path + at->base, 0) != 0)
		return 0;
	file = fopen(path, "re");
	if (!file)
		return 0;
	length += fread(text + length, 1, sizeof(text) - 1 - length, file);
	fclose(file);
	return 0;
}

static bool is_rule(const char *line)
{
	return strspn(line, "-") > 40;
}

static void tell_lines(void)
{
	char *line, *rest = text;

	fprintf(stderr, "cape-run: the run has failed before a node could say why; mpirun says:\n");
	while ((line = strsep(&rest, "\n")))
		if (*line && !is_rule(line))
			fprintf(stderr, "  %s\n", line);
}

static bool has(const char *folder, const char *name)
{
	char *path;
	bool there;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return true;
	there = access(path, F_OK) == 0;
	free(path);
	return there;
}

void words_tell(const char *folder, int status, bool begun, bool over)
{
	length = 0;
	nftw(folder, take_file, 16, FTW_PHYS);
	text[length] = '\0';
	/* Processes that write to one file leave holes. */
	for (size_t i = 0; i < length; i++)
		if (!text[i])
			text[i] = '\n';
	/* A status is the program's own, and its monitor has told what there is to tell. */
	if (strspn(text, "\n") < length && !strstr(text, "non-zero status")) {
		tell_lines();
	} else if (begun || has(folder, FOLDER_BEGUN)) {
		if (!over)
			fprintf(stderr,
				"cape-run: mpirun ended with status %d before the run was over; "
				"cape-run --verbose shows what it says\n",
				status);
	} else {
		fprintf(stderr,
			"cape-run: mpirun has started nothing and ended with status %d; cape-run "
			"--verbose shows what it says\n",
			status);
	}
}
