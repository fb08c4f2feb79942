/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files-stdio.c - files written by fprintf, fwrite, fputs and fseek, and read back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double numbers[300], copy[300];

static void write_text(const char *name, const char *mode, int from)
{
	FILE *file = fopen(name, mode);

	if (!file)
		exit(2);
	for (int i = from; i < from + 20; i++)
		fprintf(file, "%d %.3f\n", i, numbers[i]);
	fputs("end\n", file);
	fclose(file);
}

static void show_text(const char *name)
{
	FILE *file = fopen(name, "r");
	char line[64];
	int lines = 0;
	long size;

	if (!file)
		exit(3);
	while (fgets(line, sizeof(line), file))
		lines++;
	size = ftell(file);
	fclose(file);
	printf("%s: %d lines, %ld bytes, last %s", name, lines, size, line);
}

int main(void)
{
	FILE *file;
	int header[2] = {300, 0};

#pragma omp parallel for
	for (int i = 0; i < 300; i++)
		numbers[i] = i * 1.125;
	write_text("numbers.txt", "w", 0);
	show_text("numbers.txt");
	write_text("numbers.txt", "a", 100);
	show_text("numbers.txt");
	file = fopen("numbers.bin", "wb+");
	if (!file)
		return 4;
	fwrite(header, sizeof(header), 1, file);
	fwrite(numbers, sizeof(double), 300, file);
	/* The file stays open across a region. */
#pragma omp parallel for
	for (int i = 0; i < 300; i++)
		numbers[i] = -numbers[i];
	header[1] = 77;
	rewind(file);
	fwrite(header, sizeof(header), 1, file);
	fseek(file, (long)(sizeof(header) + 100 * sizeof(double)), SEEK_SET);
	fwrite(numbers + 100, sizeof(double), 50, file);
	rewind(file);
	if (fread(header, sizeof(header), 1, file) != 1 ||
	    fread(copy, sizeof(double), 300, file) != 300)
		return 5;
	fclose(file);
	printf("%d %d %.3f %.3f %.3f\n", header[0], header[1], copy[99], copy[100], copy[150]);
#pragma omp parallel for
	for (int i = 0; i < 300; i++)
		copy[i] *= 2;
	printf("%.3f %d\n", copy[299], rename("numbers.bin", "renamed.bin"));
	printf("%d %d\n", remove("renamed.bin"), remove("numbers.txt"));
	printf("%s\n", fopen("numbers.txt", "r") ? "still there" : "gone");
	return 0;
}
