/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print-sequential.c - buffered output, partial lines, all output calls, regions in between. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int values[30];

static void step(int what)
{
#pragma omp parallel for
	for (int i = 0; i < 30; i++)
		values[i] += what * i;
}

static void last_words(void)
{
	printf("at exit %d\n", values[3]);
}

int main(void)
{
	char block[] = "block of bytes with a \0 in it\n";

	atexit(last_words);
	printf("a partial line, ");
	step(1);
	printf("goes on, ");
	fputs("and on", stdout);
	step(2);
	putchar('\n');
	puts("puts");
	fwrite(block, 1, sizeof(block) - 1, stdout);
	for (int i = 0; i < 5; i++) {
		step(i);
		fprintf(stdout, "%d:%d%s", i, values[29], i == 4 ? "\n" : " ");
	}
	fflush(stdout);
	if (write(1, "written directly\n", 17) != 17)
		return 1;
	step(1);
	printf("%5.2f|%-8s|%+d|%x|%c|%%|%p\n", 3.14159, "left", 7, 255, 'c', NULL);
	fflush(stdout);
	if (write(1, "and ", 4) != 4 || write(1, "again\n", 6) != 6)
		return 1;
	printf("line buffered\nnext ");
	step(1);
	printf("line %d\n", values[1]);
	printf("no newline at the end");
	return 0;
}
