/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.c - reads the files in which Open MPI keeps its messages.
 */
#include "words.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/folder.h"

/* Open MPI's name of such a file ends so, and ours does. */
#define FILE_NAMES "*output-*output.txt"
#define OWN_NAME   "output-mpirun-output.txt"
#define MOST	   16384

/* nftw() knows no context. */
static char text[MOST];
static size_t length;

int words_redirect(const char *folder)
{
	char *path;
	int own;

	setenv("OPAL_OUTPUT_REDIRECT", "file", 1);
	setenv("PMIX_OUTPUT_REDIRECT", "file", 1);
	/* How many more have said the same would be written over what they said. */
	setenv("OMPI_MCA_orte_base_help_aggregate", "0", 0);
	if (asprintf(&path, "%s/" OWN_NAME, folder) < 0)
		return -1;
	own = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	free(path);
	return own;
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

/* Of a process that Open MPI ends, beside the reason: that it does. */
static bool is_end(const char *line)
{
	return *line == '[' && strstr(line, "] *** ");
}

/* TEXT becomes what they have written. */
static void read_files(const char *folder)
{
	length = 0;
	nftw(folder, take_file, 16, FTW_PHYS);
	text[length] = '\0';
	/* Processes that write to one file leave holes. */
	for (size_t i = 0; i < length; i++)
		if (!text[i])
			text[i] = '\n';
}

/* Whether LINE, in TEXT, stands there before: each node says the same. */
static bool is_told(const char *line)
{
	const char *before = text;

	while (before < line && strcmp(before, line) != 0)
		before += strlen(before) + 1;
	return before < line;
}

/* Cuts TEXT into lines. */
static void tell_lines(const char *what)
{
	char *line, *rest = text;

	fprintf(stderr, "cape-run: %s; mpirun says:\n", what);
	while ((line = strsep(&rest, "\n")))
		if (*line && !is_rule(line) && !is_end(line) && !is_told(line))
			fprintf(stderr, "  %s\n", line);
}

void words_tell(const char *folder, const char *launcher, int status, bool begun, bool over)
{
	bool folderless;

	read_files(folder);
	folderless = strstr(text, "system limit exceeded on number of files");
	/* A status is the program's own, and its monitor has told what there is to tell. */
	if (strspn(text, "\n") < length && !strstr(text, "non-zero status")) {
		tell_lines("the run has failed before a node could say why");
		if (folderless)
			fprintf(stderr, "cape-run: Open MPI 5 says so, too, of a folder of --wdir "
					"that is not on that machine\n");
	} else if (begun || folder_is_noted(folder, FOLDER_BEGUN)) {
		if (!over)
			fprintf(stderr,
				"cape-run: %s ended with status %d before the run was over; "
				"cape-run --verbose shows what it says\n",
				launcher, status);
	} else {
		fprintf(stderr,
			"cape-run: %s has started nothing and ended with status %d; cape-run "
			"--verbose shows what it says\n",
			launcher, status);
	}
}

void words_tell_start(const char *folder)
{
	read_files(folder);
	if (strstr(text, "MPI_INIT"))
		tell_lines("Open MPI could not start");
}

void words_tell_loss(const char *folder)
{
	read_files(folder);
	if (strstr(text, "lost communication with a remote daemon"))
		tell_lines("a machine has failed, or mpirun's daemon there");
}
