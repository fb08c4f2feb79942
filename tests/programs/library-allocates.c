/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library-allocates.c - a program that names no function of malloc's family, yet the C library
 * allocates on its behalf: in a parallel for, by the master in a region, and again behind it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COUNT 12

static char *name[COUNT], *copy[COUNT], *error[COUNT];

static void names_in_parallel(void)
{
#pragma omp parallel for
	for (int i = 0; i < COUNT; i++) {
		if (asprintf(&name[i], "n%d", i) < 0)
			name[i] = "none";
		copy[i] = strdup(name[i]);
		error[i] = strdup(i % 2 ? strerror(990 + i) : strsignal(i));
	}
	for (int i = 0; i < COUNT; i++)
		printf("%s %s %s\n", name[i], copy[i], error[i]);
}

/* Each of these allocates at first use, or at every use; what it says is the same everywhere. */
static int use_library(int round)
{
	char line[64] = "", word[32];
	const struct passwd *user = getpwuid(0);
	time_t day = 86400l * round;
	struct tm *date = localtime(&day);
	DIR *folder = opendir("/");
	FILE *stream;
	regex_t pattern;
	int good = 0;

	good += user && strcmp(user->pw_name, "root") == 0;
	good += date && date->tm_year == 70;
	good += folder && readdir(folder) != NULL;
	good += folder && closedir(folder) == 0;
	snprintf(word, sizeof(word), "%d", round);
	good += setenv("CAPE_TEST_ROUND", word, 1) == 0;
	good += strcmp(getenv("CAPE_TEST_ROUND"), word) == 0;
	good += strcmp(strerror(999), "Unknown error 999") == 0;
	stream = fopen("/dev/null", "r");
	good += stream && fclose(stream) == 0;
	stream = popen("echo hello", "r");
	good += stream && fgets(line, sizeof(line), stream) && strcmp(line, "hello\n") == 0;
	good += stream && pclose(stream) == 0;
	stream = tmpfile();
	good += stream && fputs("kept", stream) >= 0 && fseek(stream, 0, SEEK_SET) == 0;
	good += stream && fgets(line, sizeof(line), stream) && strcmp(line, "kept") == 0;
	good += stream && fclose(stream) == 0;
	good += regcomp(&pattern, "^k[aeiou]+pt$", REG_EXTENDED) == 0;
	good += regexec(&pattern, line, 0, NULL, 0) == 0;
	regfree(&pattern);
	return good;
}

int main(void)
{
	static int in_master, behind, every[16];
	void *root = NULL;

	names_in_parallel();
	printf("before: %d\n", use_library(1));
#pragma omp parallel
	{
#pragma omp master
		in_master = use_library(2);
	}
	printf("in master: %d\n", in_master);
	behind = use_library(3);
#pragma omp parallel for
	for (int i = 0; i < 16; i++)
		every[i] = strlen(strdup(strerror(1000 + i))) == strlen("Unknown error 1000");
	for (int i = 0; i < 16; i++)
		behind += every[i];
	printf("behind: %d\n", behind);
#pragma omp parallel
	{
#pragma omp master
		for (int i = 0; i < COUNT; i++)
			tsearch(name[i], &root, (int (*)(const void *, const void *))strcmp);
	}
	for (int i = 0; i < COUNT; i++)
		printf("%s ", *(char **)tsearch(copy[i], &root,
						(int (*)(const void *, const void *))strcmp));
	printf("\n");
	names_in_parallel();
	return 0;
}
