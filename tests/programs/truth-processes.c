/* SPDX-License-Identifier: GPL-2.0-or-later */
/* truth-processes.c - the environment, commands that run once, and what they print. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int table[32];
static char other[] = "CAPE_TEST_OTHER=34";

int main(void)
{
	char line[64] = "", host[256], folder[4096];
	int wrong = 0, length;
	FILE *pipe;

	printf("%s %s\n", getenv("HOME") ? "home" : "homeless", getenv("NOT_SET_AT_ALL") ?: "none");
	setenv("CAPE_TEST_VALUE", "12", 1);
	putenv(other);
#pragma omp parallel for reduction(+ : wrong)
	for (int i = 0; i < 32; i++) {
		table[i] = atoi(getenv("CAPE_TEST_VALUE")) + atoi(getenv("CAPE_TEST_OTHER"));
		wrong += table[i] != 46;
	}
	unsetenv("CAPE_TEST_VALUE");
	printf("%d wrong, %d\n", wrong, getenv("CAPE_TEST_VALUE") == NULL);
	/* A command appends to a file: once, not once for each node. */
	fflush(stdout);
	printf("%d\n", WEXITSTATUS(system("echo line >> appended.txt; exit 7")));
	pipe = popen("wc -l < appended.txt", "r");
	if (!fgets(line, sizeof(line), pipe))
		return 1;
	printf("%d lines, ", atoi(line));
	printf("%d\n", WEXITSTATUS(pclose(pipe)));
	/* Something that is different each time it runs. */
	pipe = popen("od -An -N4 -tu4 /dev/urandom", "r");
	if (!fgets(line, sizeof(line), pipe))
		return 1;
	pclose(pipe);
	length = (int)(strtoul(line, NULL, 10) % 50) + 10;
#pragma omp parallel for reduction(+ : wrong)
	for (int i = 0; i < length; i++)
		wrong++;
	printf("%d\n", wrong == length);
	pipe = popen("cat > written.txt", "w");
	fprintf(pipe, "one\ntwo\n");
	pclose(pipe);
	pipe = fopen("written.txt", "r");
	for (wrong = 0; fgets(line, sizeof(line), pipe);)
		wrong++;
	fclose(pipe);
	printf("%d %s", wrong, line);
	printf("%d %d\n", gethostname(host, sizeof(host)), getcwd(folder, sizeof(folder)) != NULL);
	printf("%d %d\n", remove("appended.txt"), remove("written.txt"));
	return 0;
}
