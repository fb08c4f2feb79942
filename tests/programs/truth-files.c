/* SPDX-License-Identifier: GPL-2.0-or-later */
/* truth-files.c - files are written once, read back, stat'ed, made with unique names, by one truth. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N 40

static int squares[N];

static long size_of(const char *name)
{
	struct stat status;

	return stat(name, &status) ? -errno : (long)status.st_size;
}

/* How often TEXT stands in the file. */
static int count_lines(const char *name, const char *text)
{
	char line[100];
	int count = 0;
	FILE *stream = fopen(name, "r");

	while (stream && fgets(line, sizeof(line), stream))
		count += strncmp(line, text, strlen(text)) == 0;
	if (stream)
		fclose(stream);
	return count;
}

int main(void)
{
	const char *volatile nowhere = NULL;
	char name[] = "unique-XXXXXX", line[100];
	FILE *stream = fopen("result.txt", "w"), *nameless = tmpfile();
	int file = mkstemp(name), sum = 0;
	struct stat by_name, by_file;

	printf("%ld %ld\n", size_of("missing"), size_of("result.txt"));
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		squares[i] = i * i;
	for (int i = 0; i < N; i++) {
		fprintf(stream, "square %d\n", squares[i]);
		fprintf(nameless, "%d\n", squares[i]);
	}
	fclose(stream);
	printf("%ld %d\n", size_of("result.txt"), count_lines("result.txt", "square"));
	/* By one thread in a region, then read by sequential code, and the other way. */
#pragma omp parallel
	{
#pragma omp master
		{
			FILE *log = fopen("result.txt", "a");

			fprintf(log, "master %d\n", squares[3]);
			fclose(log);
		}
#pragma omp barrier
#pragma omp single
		{
			FILE *log = fopen("result.txt", "a");

			fprintf(log, "single\n");
			fclose(log);
		}
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < 8; i++)
			sum += count_lines("result.txt", "single") +
			       count_lines("result.txt", "master");
	}
	printf("%d %d %d\n", sum, count_lines("result.txt", "master 9"),
	       count_lines("result.txt", "single"));
	rewind(nameless);
	for (sum = 0; fgets(line, sizeof(line), nameless);)
		sum += atoi(line);
	fclose(nameless);
	printf("%d %d\n", sum, write(file, "0123456789", 10) == 10);
	printf("%d ", fstat(file, &by_file) || stat(name, &by_name));
	printf("%ld\n", (long)by_file.st_size);
	printf("%d %d\n", by_file.st_ino == by_name.st_ino, lseek(file, 4, SEEK_SET) == 4);
	printf("%d ", ftruncate(file, 6));
	printf("%c\n", read(file, line, 1) == 1 ? line[0] : '?');
	close(file);
	printf("%ld ", size_of(name));
	printf("%d ", rename(name, "renamed"));
	printf("%d\n", access(name, F_OK));
	printf("%ld ", size_of("renamed"));
	printf("%d ", unlink("renamed"));
	printf("%ld\n", size_of("renamed"));
	printf("%d ", mkdir("folder", 0777));
	printf("%d\n", mkdir("folder", 0777) == -1 && errno == EEXIST);
	printf("%d ", open("exclusive", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) >= 0);
	printf("%d\n", open("exclusive", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) == -1);
	printf("%d\n", open(nowhere, O_RDONLY) == -1 && errno == EFAULT);
	printf("%d %d %d\n", rmdir("folder"), remove("exclusive"), remove("result.txt"));
	return 0;
}
