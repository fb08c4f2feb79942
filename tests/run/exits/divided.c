/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * divided.c - ends as its argument says, right after a region of known loops: the first half of the
 * nodes owns pages of which the others have written a part.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS	2000
#define COLUMNS 512

static long a[2 * ROWS][COLUMNS];

static void fill(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = ROWS; i < 2 * ROWS; i++)
			for (int j = 0; j < 500; j++)
				a[i][j] = i + j;
#pragma omp for
		for (int i = ROWS; i < 2 * ROWS; i++)
			for (int j = 500; j < COLUMNS; j++)
				a[i - ROWS / 2][j] = i + j;
	}
}

int main(int count, char **words)
{
	const char *way = count > 1 ? words[1] : "";

	fill();
	if (!strcmp(way, "exit"))
		exit(3);
	if (!strcmp(way, "quick_exit"))
		quick_exit(3);
	if (!strcmp(way, "_exit"))
		_exit(3);
	if (!strcmp(way, "_Exit"))
		_Exit(3);
	if (!strcmp(way, "execl"))
		execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
	return 3;
}
