/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files-opened-inside.c - files opened by one thread of a region, used by others and behind it. */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *text;
static FILE *own;
#pragma omp threadprivate(own)

static int count_lines(FILE *file)
{
	char line[100];
	int count = 0;

	rewind(file);
	while (fgets(line, sizeof(line), file))
		count++;
	return count;
}

/* By the master, used by all in the same region, closed behind it. */
static void by_master(void)
{
	int file = -1, lines = 0, all = omp_get_max_threads();

#pragma omp parallel
	{
		char row[12];

#pragma omp master
		{
			file = open("inside.bin", O_CREAT | O_TRUNC | O_RDWR, 0600);
			text = fopen("inside.txt", "w+");
			fprintf(text, "head\n");
		}
#pragma omp barrier
		snprintf(row, sizeof(row), "row %5d\n", omp_get_thread_num());
		if (pwrite(file, row, 10, omp_get_thread_num() * 10L) != 10)
			abort();
#pragma omp critical
		fprintf(text, "line of a thread\n");
#pragma omp barrier
#pragma omp single
		lines = count_lines(text) - all;
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 10; i++) {
#pragma omp ordered
			fprintf(text, "turn %d\n", i);
		}
	}
	fprintf(text, "tail\n");
	printf("%d %d ", lines, count_lines(text) - all);
	printf("%ld\n", (long)lseek(file, 0, SEEK_END) / all);
	fclose(text);
	close(file);
}

/* By whichever thread comes first, used by sequential code and the next region. */
static void by_any(void)
{
	char line[50] = "";

#pragma omp parallel
	{
#pragma omp single
		{
			text = fopen("inside.txt", "w+");
			fprintf(text, "single\n");
		}
	}
	fprintf(text, "sequential\n");
#pragma omp parallel for ordered
	for (int i = 0; i < 5; i++) {
#pragma omp ordered
		fprintf(text, "%d\n", i);
	}
	rewind(text);
	while (fgets(line, sizeof(line), text))
		fputs(line, stdout);
	fclose(text);
}

/* By every thread its own, from region to region. */
static void by_each(void)
{
	int good = 0;

#pragma omp parallel
	{
		char name[30];

		snprintf(name, sizeof(name), "own%d", omp_get_thread_num());
		own = fopen(name, "w+");
	}
#pragma omp parallel
	for (int i = 0; i <= omp_get_thread_num(); i++)
		fprintf(own, "line %d\n", i);
#pragma omp parallel reduction(+ : good)
	{
		char name[30];

		snprintf(name, sizeof(name), "own%d", omp_get_thread_num());
		good += count_lines(own) == omp_get_thread_num() + 1;
		fclose(own);
		remove(name);
	}
	printf("%d\n", good == omp_get_max_threads());
}

int main(void)
{
	by_master();
	by_any();
	by_each();
	remove("inside.bin");
	remove("inside.txt");
	return 0;
}
