// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refused.c - what threads do in a region that a save must know of, for tests/threads/services.t.
 *
 * Usage: refused WHAT FILE: pipe, thread, mapping of FILE (which cannot be saved), map (which can;
 * it then waits until there is FILE).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE   4096ul
#define PIECES 200

static void *wait_for_ever(void *nothing)
{
	pause();
	return nothing;
}

/* Each maps, moves and unmaps memory of its own; some of it stays. */
static unsigned char *map_pieces(void)
{
	unsigned char *kept = NULL;

	for (int i = 0; i < PIECES; i++) {
		size_t size = PAGE * (size_t)(1 + i % 7);
		unsigned char *piece = mmap(NULL, size, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		memset(piece, i, size);
		piece = mremap(piece, size, 2 * size, MREMAP_MAYMOVE);
		if (piece[0] != (unsigned char)i || piece[size - 1] != (unsigned char)i ||
		    piece[size] || piece[2 * size - 1])
			abort();
		if (i == PIECES - 1)
			kept = piece;
		else
			munmap(piece, 2 * size);
	}
	return kept;
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";
	unsigned char *kept[64] = {NULL};
	long sum = 0;

#pragma omp parallel
	{
		int thread = omp_get_thread_num();

		if (strcmp(what, "map") == 0)
			kept[thread] = map_pieces();
		if (thread == 1 && strcmp(what, "pipe") == 0) {
			int ends[2];

			if (pipe(ends) < 0)
				abort();
		}
		if (thread == 1 && strcmp(what, "thread") == 0) {
			pthread_t made;

			if (pthread_create(&made, NULL, wait_for_ever, NULL))
				abort();
		}
		if (thread == 1 && strcmp(what, "mapping") == 0) {
			int file = open(argv[2], O_RDWR | O_CREAT, 0600);

			if (ftruncate(file, PAGE) < 0 || mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
							      MAP_SHARED, file, 0) == MAP_FAILED)
				abort();
			close(file);
		}
	}
	/* What is saved is written meanwhile, or the user is told why it is not. */
	usleep(500000);
	while (strcmp(what, "map") == 0 && access(argv[2], F_OK) < 0)
		usleep(10000);
	for (int i = 0; i < 64 && kept[i]; i++)
		sum += kept[i][0] == PIECES - 1;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
	for (int i = 0; i < 64 && kept[i]; i++)
		sum += kept[i][PAGE] == PIECES - 1;
	printf("%ld\n", sum);
	return 0;
}
