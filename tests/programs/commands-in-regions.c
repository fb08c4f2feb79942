/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands-in-regions.c - what regions write to a command arrives whole and in order, more than a
 * pipe takes at a time too; what a command prints is read on where a region left off.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char block[300000];

static void fill(int seed)
{
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (char)('a' + (i / 7 + i % 5 + (size_t)seed) % 26);
}

static void write_to_command(void)
{
	FILE *command = popen("cksum", "w");
	long written = 0, all = 0;
	int i;

	fprintf(command, "before\n");
	fflush(command);
#pragma omp parallel for ordered schedule(static, 1)
	for (i = 0; i < 8; i++) {
#pragma omp ordered
		{
			fill(i);
			fwrite(block, 1, 50000, command);
			fflush(command);
		}
	}
#pragma omp parallel for ordered schedule(static, 1) reduction(+ : written)
	for (i = 0; i < 4; i++) {
#pragma omp ordered
		{
			fill(100 + i);
			written += write(fileno(command), block, sizeof(block));
		}
	}
	all = (long)sizeof(block) * 4;
	printf("written: %s\n", written == all ? "all" : "not all");
	fprintf(command, "behind\n");
	printf("cksum: %d\n", pclose(command));
}

static void read_from_command(void)
{
	FILE *command = popen("seq 1 9000", "r");
	long number, in_region = 0, behind = 0;

#pragma omp parallel
	{
#pragma omp single
		for (int i = 0; i < 3000 && fscanf(command, "%ld", &number) == 1; i++)
			in_region += number;
	}
	while (fscanf(command, "%ld", &number) == 1)
		behind += number;
	printf("read: %ld %ld, %d\n", in_region, behind, pclose(command));
}

int main(void)
{
	write_to_command();
	read_from_command();
	return 0;
}
