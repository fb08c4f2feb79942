/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files-appended.c - all threads print to one stream with nothing that orders them: whole lines. */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define N 3000

static int seen[N];

/* Each line once, and none torn: how many are not so. */
static int look(const char *name, const char *format)
{
	int bad = 0, number, again;
	char line[300];
	FILE *file = fopen(name, "r");

	memset(seen, 0, sizeof(seen));
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, format, &number, &again) != 2 || number != again || seen[number]++)
			bad++;
	}
	fclose(file);
	remove(name);
	return bad;
}

int main(void)
{
	FILE *file = fopen("appended.txt", "a");
	int log = open("appended.log", O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);

#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		char line[40];
		int length = snprintf(line, sizeof(line), "log %d %d\n", i, i);

		fprintf(file, "line %d %0*d\n", i, 20 + i % 50, i);
		if (i % 10 == 0 && write(log, line, (size_t)length) != length)
			_exit(1);
	}
	fclose(file);
	close(log);
	printf("%d ", look("appended.txt", "line %d %d"));
	printf("%d\n", look("appended.log", "log %d %d"));
	return 0;
}
