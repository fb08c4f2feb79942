/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * full.c - writes to the file of its first argument until there is no room, and says what it got;
 * the shell does what the second one says after the file is open.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 4

static char bytes[60000];

static void show(const char *what, long result)
{
	static long results[THREADS];
	int others = 0;

#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < THREADS; i++)
		results[i] = result;
	for (int i = 1; i < THREADS; i++)
		others += results[i] != results[0];
	printf("%s %ld%s\n", what, results[0], others ? ", BUT NOT FOR ALL" : "");
}

int main(int count, char **argument)
{
	FILE *file = fopen(argument[1], "w+");
	long read = 0;

	show("open", file != NULL);
	if (!file || (count > 2 && system(argument[2]) != 0))
		return 2;
	show("write", write(fileno(file), bytes, sizeof(bytes)));
	show("write", write(fileno(file), bytes, sizeof(bytes)));
	show("write", write(fileno(file), bytes, sizeof(bytes)));
	fputs("no room for this", file);
	show("fflush", fflush(file));
	rewind(file);
	while (getc(file) != EOF)
		read++;
	show("read", read);
	fputs("nor for this", file);
	show("fputs", 0);
	show("fclose", fclose(file));
	return 0;
}
