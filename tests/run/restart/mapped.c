// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mapped.c - files that are mapped to be read: with a name, without, in memory, to be executed, and
 * one that ends in front of the mapping; four steps, of which each tells a sum of all.
 *
 * Usage: mapped FILE [WAY]: "shared" and "raw" map what cannot be saved, "slow" takes time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIZE 8192
#define MAPS 5

static const unsigned char *map(int file, int protection, int flags, size_t size)
{
	void *memory = mmap(NULL, size, protection, flags, file, 0);

	if (memory == MAP_FAILED)
		perror("mmap");
	close(file);
	return memory;
}

/* A copy of FILE without a name. */
static int nameless(const char *file, bool in_memory)
{
	int from = open(file, O_RDONLY);
	int to = in_memory ? memfd_create("mine", 0) : open("gone", O_RDWR | O_CREAT, 0600);
	char bytes[SIZE];

	if (!in_memory)
		unlink("gone");
	if (read(from, bytes, SIZE) != SIZE || write(to, bytes, SIZE) != SIZE)
		perror("copy");
	close(from);
	return to;
}

int main(int argc, char **argv)
{
	const char *way = argc > 2 ? argv[2] : "";
	const unsigned char *maps[MAPS];
	long sum = 0;

	maps[0] = map(open(argv[1], O_RDONLY), PROT_READ, MAP_PRIVATE, SIZE);
	maps[1] = map(nameless(argv[1], false), PROT_READ, MAP_PRIVATE, SIZE);
	maps[2] = map(nameless(argv[1], true), PROT_READ, MAP_PRIVATE, SIZE);
	maps[3] = map(open(argv[1], O_RDONLY), PROT_READ | PROT_EXEC, MAP_PRIVATE, SIZE);
	/* 13.6 kB of 80. */
	maps[4] = map(open(argv[1], O_RDONLY), PROT_READ, MAP_PRIVATE, 10 * SIZE);
	if (strcmp(way, "shared") == 0)
		map(open(argv[1], O_RDONLY), PROT_READ, MAP_SHARED, SIZE);
	if (strcmp(way, "raw") == 0)
		syscall(SYS_mmap, NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	printf("begin\n");
	fflush(stdout);
	for (int step = 0; step < 4; step++) {
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < MAPS * SIZE; i++)
			sum += maps[i / SIZE][i % SIZE] * (long)(i + step);
		printf("%d %ld%s\n", step, sum, step == 3 ? " end" : "");
		fflush(stdout);
		/* Until a save has ended, the next is not begun. */
		usleep(strcmp(way, "slow") == 0 ? 800000 : 500000);
	}
	return 0;
}
