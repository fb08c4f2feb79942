/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapped-files.c - files that sequential code maps: written by all threads through MAP_SHARED,
 * copied on writing, read, and mapped for reading inside a region.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT 5000

static const char name[] = "mapped-file";

static long sum(const int *array)
{
	long total = 0;

	for (int i = 0; i < COUNT; i++)
		total += array[i];
	return total;
}

static void read_back(const char *when)
{
	static int array[COUNT];
	int file = open(name, O_RDONLY);

	if (read(file, array, sizeof(array)) != sizeof(array))
		printf("short\n");
	close(file);
	printf("%s: %ld %d\n", when, sum(array), array[COUNT - 1]);
}

int main(void)
{
	int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644), *array, *copy, *input;
	static long in_region[4];

	if (ftruncate(file, COUNT * sizeof(int)) < 0)
		return 1;
	array = mmap(NULL, COUNT * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	array[0] = 77;
#pragma omp parallel for
	for (int i = 1; i < COUNT; i++)
		array[i] = i;
	msync(array, COUNT * sizeof(int), MS_SYNC);
	read_back("written");
	copy = mmap(NULL, COUNT * sizeof(int), PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
#pragma omp parallel for
	for (int i = 0; i < COUNT; i++)
		copy[i] *= 2;
	printf("copy: %ld, file: %ld\n", sum(copy), sum(array));
	munmap(copy, COUNT * sizeof(int));
#pragma omp parallel for
	for (int i = 0; i < COUNT; i += 2)
		array[i] += 1;
	munmap(array, COUNT * sizeof(int));
	close(file);
	read_back("behind");
	file = open(name, O_RDONLY);
	input = mmap(NULL, COUNT * sizeof(int), PROT_READ, MAP_PRIVATE, file, 0);
#pragma omp parallel for
	for (int i = 0; i < 4; i++)
		in_region[i] = sum(input) + i;
	printf("input: %ld %ld\n", in_region[0], in_region[3]);
	munmap(input, COUNT * sizeof(int));
	input = NULL;
#pragma omp parallel
	{
#pragma omp single
		input = mmap(NULL, COUNT * sizeof(int), PROT_READ, MAP_SHARED, file, 0);
#pragma omp for
		for (int i = 0; i < 4; i++)
			in_region[i] = sum(input) + i;
	}
	printf("in a region: %ld %ld %ld\n", in_region[0], in_region[3], sum(input));
	close(file);
	unlink(name);
	return 0;
}
