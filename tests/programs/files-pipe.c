/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files-pipe.c - a named pipe: read by sequential code, and in turns by all threads. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define N 2000

int main(void)
{
	int first = 0, sum = 0, rest = 0, count = 0, value;
	FILE *file;

	if (system("mkfifo pipe && { seq 1 4000 >pipe & }"))
		return 1;
	file = fopen("pipe", "r");
	if (!file || fscanf(file, "%d", &first) != 1)
		return 2;
#pragma omp parallel for
	for (int i = 0; i < N; i++) {
#pragma omp critical
		{
			int mine = 0;

			if (fscanf(file, "%d", &mine) != 1)
				exit(3);
			sum += mine;
		}
	}
	for (; fscanf(file, "%d", &value) == 1; count++)
		rest += value;
	printf("%d %d %d %d\n", first, sum, count, rest);
	fclose(file);
	unlink("pipe");
	return 0;
}
