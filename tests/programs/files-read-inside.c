/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files-read-inside.c - a region reads by name what sequential code has just written, in every way
 * of writing and reading; node 0 writes when the others have begun the region already.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME   "inside.tmp"
#define LENGTH 9 /* "Round 12\n" */

static int file;
static const char *map;

/* Each is one round's: all leave "Round NN\n" in the file. */
static void write_round(int round)
{
	char text[LENGTH + 1];
	FILE *stream;

	snprintf(text, sizeof(text), "Round %2d\n", round);
	switch (round % 6) {
	case 0:
		stream = fopen(NAME, "w");
		fputs(text, stream);
		fclose(stream);
		break;
	case 1:
		if (pwrite(file, text, LENGTH, 0) != LENGTH)
			exit(1);
		break;
	case 2:
		if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET))
			exit(2);
		dprintf(file, "%s", text);
		break;
	case 3:
		stream = fopen(NAME, "r+");
		fseek(stream, 6, SEEK_SET);
		fprintf(stream, "%2d", round);
		fflush(stream);
		fclose(stream);
		break;
	case 4:
		if (lseek(file, 0, SEEK_SET) || write(file, text, LENGTH) != LENGTH)
			exit(4);
		break;
	default:
		stream = fdopen(dup(file), "w");
		rewind(stream);
		fwrite(text, 1, LENGTH, stream);
		fclose(stream);
	}
}

static int number(const char *text)
{
	return strncmp(text, "Round ", 6) ? -1 : atoi(text + 6);
}

static int read_round(int way)
{
	char text[LENGTH + 1] = "";
	struct stat status = {.st_size = -1};
	int from, result = -1;
	FILE *stream;
	char *memory;

	switch (way % 6) {
	case 0:
		stream = fopen(NAME, "r");
		if (stream && fgets(text, sizeof(text), stream))
			result = number(text);
		fclose(stream);
		return result;
	case 1:
		from = open(NAME, O_RDONLY);
		if (pread(from, text, LENGTH, 0) == LENGTH)
			result = number(text);
		close(from);
		return result;
	case 2:
		from = open(NAME, O_RDONLY);
		memory = mmap(NULL, LENGTH, PROT_READ, MAP_PRIVATE, from, 0);
		if (memory != MAP_FAILED)
			result = number(memory);
		munmap(memory, LENGTH);
		close(from);
		return result;
	case 3:
		return stat(NAME, &status) || status.st_size != LENGTH ? -1 : number(map);
	case 4:
		stream = popen("cat " NAME, "r");
		if (stream && fgets(text, sizeof(text), stream))
			result = number(text);
		pclose(stream);
		return result;
	default:
		return pread(file, text, LENGTH, 0) == LENGTH ? number(text) : -1;
	}
}

static void rounds(void)
{
	int wrong = 0;

	for (int round = 0; round < 12; round++) {
		write_round(round);
		if (round == 0)
			map = mmap(NULL, LENGTH, PROT_READ, MAP_SHARED, open(NAME, O_RDONLY), 0);
#pragma omp parallel for schedule(static, 1) reduction(+ : wrong)
		for (int i = 0; i < 8; i++)
			wrong += read_round(i + round / 6) != round;
	}
	printf("%d wrong\n", wrong);
}

/* Who reads a file already reads what is written to it later, and no sooner. */
static char read_first(int reader)
{
	char first = '?';

	return lseek(reader, 0, SEEK_SET) == 0 && read(reader, &first, 1) == 1 ? first : '?';
}

static void read_on(void)
{
	int reader = open(NAME, O_RDONLY), right = 0;

	for (int i = 0; i < 20; i++) {
		char before = read_first(reader);
		FILE *writer = fopen(NAME, "r+");

		putc("SR"[i % 2], writer);
		fclose(writer);
		right += before == "RS"[i % 2] && read_first(reader) == "SR"[i % 2];
	}
	close(reader);
	printf("%d\n", right);
}

/* What a child writes is there when it has ended. */
static void children(void)
{
	int sum = 0;

	for (int i = 0; i < 2; i++) {
		pid_t child;
		FILE *stream;

		write_round(3 + 6 * i);
		child = fork();
		if (child == 0) {
			stream = fopen("child.tmp", "w");
			fprintf(stream, "%d", read_round(0));
			fclose(stream);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		for (int k = 0, x; k < 2; k++) {
			stream = fopen("child.tmp", "r");
			sum += fscanf(stream, "%d", &x) == 1 && x == 3 + 6 * i;
			fclose(stream);
		}
	}
	printf("%d\n", sum);
}

/* A temporary file's end, and folders. */
static void names(void)
{
	char name[] = "nameXXXXXX", folder[20];
	int made = mkstemp(name), seen = 0;

	dprintf(made, "%s", name);
	close(made);
	made = open(name, O_RDONLY);
	printf("%d\n", read(made, folder, 10) == 10 && !memcmp(folder, name, 10));
	close(made);
	for (int i = 0; i < 4; i++) {
		snprintf(folder, sizeof(folder), "folder.%d", i);
		mkdir(folder, 0777);
#pragma omp parallel for reduction(+ : seen)
		for (int k = 0; k < 8; k++) {
			DIR *open = opendir(folder);

			seen += open && access(name, F_OK) == 0;
			if (open)
				closedir(open);
		}
		rmdir(folder);
	}
	unlink(name);
	printf("%d\n", seen);
}

int main(void)
{
	file = open(NAME, O_RDWR | O_CREAT | O_TRUNC, 0600);
	rounds();
	read_on();
	children();
	names();
	close(file);
	unlink("child.tmp");
	unlink(NAME);
	return 0;
}
