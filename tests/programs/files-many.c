/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files-many.c - more than a thousand files that are open at once, written by all threads. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 1200

static int file[FILES];

int main(void)
{
	struct rlimit limit;
	char name[30];
	long all = 0;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "file%d", i);
		file[i] = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
		if (file[i] < 0)
			return 1;
	}
#pragma omp parallel for
	for (int i = 0; i < FILES; i++)
		if (write(file[i], "0123456789", (size_t)(i % 11)) != i % 11)
			_exit(2);
	for (int i = 0; i < FILES; i++) {
		struct stat status;

		snprintf(name, sizeof(name), "file%d", i);
		if (stat(name, &status) == 0)
			all = (all * 11 + status.st_size) % 1000003;
		unlink(name);
	}
	printf("%ld\n", all);
	return 0;
}
