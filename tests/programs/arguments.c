/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arguments.c - argv, the environment, setenv; used inside of a region too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int lengths[16];

int main(int argc, char **argv)
{
	const char *path = getenv("PATH");
	int total = 0, number;

	printf("%d arguments\n", argc - 1);
	for (int i = 1; i < argc; i++)
		printf("'%s' ", argv[i]);
	number = argc > 2 ? atoi(argv[2]) : -1;
#pragma omp parallel for reduction(+ : total) firstprivate(number)
	for (int i = 1; i < argc; i++) {
		lengths[i] = (int)strlen(argv[i]) * number;
		total += lengths[i];
	}
	printf("\n%d %d\n", total, path != NULL);
	/* The arguments are shared memory as well. */
#pragma omp parallel for schedule(static, 1)
	for (int i = 1; i < argc; i++)
		argv[i][0] = (char)('0' + i);
	for (int i = 1; i < argc; i++)
		printf("%s%c", argv[i], i == argc - 1 ? '\n' : ' ');
	setenv("CAPE_TEST_VARIABLE", "set by the program", 1);
#pragma omp parallel sections
	{
#pragma omp section
		lengths[0] = (int)strlen(getenv("CAPE_TEST_VARIABLE"));
	}
	unsetenv("CAPE_TEST_VARIABLE");
	printf("%d %s\n", lengths[0], getenv("CAPE_TEST_VARIABLE") ? "set" : "not set");
	return 0;
}
