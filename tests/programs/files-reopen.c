/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files-reopen.c - freopen() of files, of standard input and output, and what regions do with them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "reopened.txt"

static int sum[40];

static FILE *need(FILE *file, const char *what)
{
	if (!file) {
		fprintf(stderr, "%s: %s\n", what, strerror(errno));
		exit(2);
	}
	return file;
}

/* Written, read back by the same stream, removed: again and again, which is where nodes part. */
static void turns(void)
{
	char line[64];

	for (int i = 0; i < 40; i++) {
		FILE *file = need(fopen(NAME, "w"), "fopen");

		fprintf(file, "turn %d\n", i);
		file = need(freopen(NAME, "r", file), "freopen");
		if (fgets(line, sizeof(line), file) && i % 10 == 0)
			printf("%s", line);
		fclose(file);
		if (remove(NAME) != 0)
			printf("remove: %s\n", strerror(errno));
	}
}

static void show(const char *title)
{
	FILE *file = need(fopen(NAME, "r"), "fopen");
	int lines = 0, c;

	printf("%s:", title);
	while ((c = getc(file)) != EOF) {
		if (lines < 8)
			putchar(c == '\n' ? '|' : c);
		lines += c == '\n';
	}
	printf(" %d lines\n", lines);
	fclose(file);
}

static void modes(void)
{
	FILE *file = need(fopen(NAME, "w"), "fopen"), *gone;
	char line[64] = "";

	fputs("one\n", file);
	file = need(freopen(NAME, "a", file), "append");
	printf("at %ld\n", ftell(file));
	fputs("two\n", file);
	file = need(freopen(NAME, "r+", file), "update");
	if (fgets(line, sizeof(line), file))
		printf("read %s", line);
	fseek(file, 0, SEEK_CUR);
	fputs("TWO\n", file);
	file = need(freopen(NAME, "r", file), "read");
	file = need(freopen(NULL, "a+", file), "the same file");
	fputs("three\n", file);
	fflush(file);
	show("appended");
	errno = 0;
	gone = freopen("no/such/file", "r", file);
	printf("%s %d\n", gone ? "there" : "not there", errno);
	errno = 0;
	gone = freopen(NAME, "wx", need(fopen(NAME, "r"), "fopen"));
	printf("%s %d\n", gone ? "new" : "not new", errno);
	remove(NAME);
	file = need(freopen(NAME, "wx", need(fopen("/dev/null", "r"), "fopen")), "exclusive");
	fputs("new\n", file);
	fclose(file);
	show("exclusive");
}

/* A stream that was reopened is shared by a region like any other. */
static void region(void)
{
	FILE *file = need(fopen("/dev/null", "w"), "fopen");
	int i, number;

	file = need(freopen(NAME, "w", file), "freopen");
#pragma omp parallel for ordered schedule(static, 3)
	for (i = 0; i < 40; i++) {
#pragma omp ordered
		fprintf(file, "%d\n", i);
	}
	file = need(freopen(NAME, "r", file), "freopen");
#pragma omp parallel for ordered private(number)
	for (i = 0; i < 40; i++) {
#pragma omp ordered
		if (fscanf(file, "%d", &number) == 1)
			sum[i] = number * 2;
	}
	fclose(file);
	printf("sum %d %d\n", sum[1], sum[39]);
	show("ordered");
}

/* In a region, a stream that the same thread has opened in it. */
static void inside(void)
{
#pragma omp parallel
#pragma omp critical
	{
		FILE *file = need(fopen("/dev/null", "w"), "fopen");

		file = need(freopen(NAME, "a", file), "freopen");
		fputs("thread\n", file);
		fclose(file);
	}
}

int main(void)
{
	int i, number, total = 0;

	turns();
	modes();
	region();
	inside();
	need(freopen(NAME, "w", stdout), "stdout");
	for (i = 0; i < 20; i++)
		printf("%d\n", i);
#pragma omp parallel for ordered
	for (i = 20; i < 40; i++) {
#pragma omp ordered
		printf("%d\n", i);
	}
	fflush(stdout);
	need(freopen("/dev/null", "w", stderr), "stderr");
#pragma omp parallel
	fprintf(stderr, "nobody is to see this\n");
	need(freopen(NAME, "r", stdin), "stdin");
	for (i = 0; i < 10 && scanf("%d", &number) == 1; i++)
		total += number;
#pragma omp parallel for ordered private(number)
	for (i = 0; i < 10; i++) {
#pragma omp ordered
		if (scanf("%d", &number) == 1)
			sum[i] = number;
	}
	while (scanf("%d", &number) == 1)
		total += 1000 + number;
	return total == 45 + 20 * 1000 + 590 && sum[0] == 10 && sum[9] == 19 ? 0 : total % 100;
}
