/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files-turns.c - one file that all threads write or read in turns: ordered, critical, single. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 24

static void show(const char *name)
{
	char line[200];
	FILE *file = fopen(name, "r");

	if (!file)
		exit(1);
	while (fgets(line, sizeof(line), file))
		fputs(line, stdout);
	fclose(file);
}

/* Written under ordered, with turns that change the node each time. */
static void write_ordered(void)
{
	FILE *file = fopen("ordered.txt", "w");

	fprintf(file, "before\n");
#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < N; i++) {
#pragma omp ordered
		fprintf(file, "%d ", i);
	}
	fprintf(file, "\nbehind\n");
	fclose(file);
	show("ordered.txt");
}

/* Each thread adds to what all others wrote before, and reads it back in the same region. */
static void write_and_read_back(void)
{
	FILE *file = fopen("both.txt", "w+");
	int total = 0, seen = 0, value;

#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < N; i++) {
#pragma omp ordered
		{
			fseek(file, 0, SEEK_END);
			fprintf(file, "%d\n", i * i);
			rewind(file);
			for (value = 0; fscanf(file, "%d", &value) == 1;)
				total += value;
		}
	}
	rewind(file);
	while (fscanf(file, "%d", &value) == 1)
		seen += value;
	printf("%d %d %ld\n", total, seen, ftell(file));
	fclose(file);
}

/* An input file: some numbers by sequential code, some by any thread, the rest at the end. */
static void read_in_turns(void)
{
	FILE *file = fopen("numbers.txt", "w");
	int sum = 0, weighted = 0, value, first = 0, rest = 0;

	for (int i = 1; i <= 3000; i++)
		fprintf(file, "%d\n", i);
	fclose(file);
	file = fopen("numbers.txt", "r");
	if (fscanf(file, "%d", &first) != 1)
		exit(2);
#pragma omp parallel
	{
#pragma omp single
		if (fscanf(file, "%d", &value) != 1)
			exit(3);
#pragma omp for
		for (int i = 0; i < 2000; i++) {
#pragma omp critical
			{
				int mine = 0;

				if (fscanf(file, "%d", &mine) != 1)
					exit(4);
				sum += mine;
				weighted += mine % 7;
			}
		}
#pragma omp master
		if (fscanf(file, "%d", &first) != 1)
			exit(5);
	}
	while (fscanf(file, "%d", &rest) == 1)
		sum += rest;
	printf("%d %d %d %d %d\n", value, sum, weighted, first, rest);
	fclose(file);
}

int main(void)
{
	write_ordered();
	write_and_read_back();
	read_in_turns();
	remove("ordered.txt");
	remove("both.txt");
	remove("numbers.txt");
	return 0;
}
