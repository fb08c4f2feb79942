/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapped-memory.c - memory that the program maps itself is shared as malloc's is: by mmap() in
 * sequential code and in regions, by mremap(), in parts of a reservation, by sbrk().
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNT	1000
#define PAGE	4096ul
#define THREADS 64

static int *anonymous(size_t size, int flags)
{
	int *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static long sum(const int *array, int count)
{
	long total = 0;

	for (int i = 0; i < count; i++)
		total += array[i];
	return total;
}

static void fill(int *array, int count, int factor)
{
#pragma omp parallel for
	for (int i = 0; i < count; i++)
		array[i] += factor * i;
}

static void whole_mappings(void)
{
	int *private = anonymous(COUNT * sizeof(int), MAP_PRIVATE);
	int *shared = anonymous(COUNT * sizeof(int), MAP_SHARED);
	int device = open("/dev/zero", O_RDWR);
	int *zero = mmap(NULL, COUNT * sizeof(int), PROT_READ | PROT_WRITE, MAP_PRIVATE, device, 0);
	int *heap = sbrk(COUNT * sizeof(int));

	fill(private, COUNT, 1);
	fill(shared, COUNT, 2);
	fill(zero, COUNT, 3);
	fill(heap, COUNT, 4);
	printf("whole: %ld %ld %ld %ld\n", sum(private, COUNT), sum(shared, COUNT),
	       sum(zero, COUNT), sum(heap, COUNT));
	sbrk(-(intptr_t)(COUNT * sizeof(int)));
	heap = sbrk(3 * COUNT * sizeof(int));
	memset(heap, 0, 3 * COUNT * sizeof(int));
	fill(heap, 3 * COUNT, 1);
	printf("break: %ld\n", sum(heap, 3 * COUNT));
	close(device);
	munmap(private, COUNT * sizeof(int));
	munmap(shared, COUNT * sizeof(int));
	munmap(zero, COUNT * sizeof(int));
}

static void grown(void)
{
	size_t size = PAGE;
	int *array = anonymous(size, MAP_PRIVATE), *other, *moved;

	for (int round = 0; round < 6; round++) {
		fill(array, (int)(size / sizeof(int)), round + 1);
		array = mremap(array, size, size * 2, MREMAP_MAYMOVE);
		size *= 2;
		if (round == 2)
			other = anonymous(PAGE, MAP_PRIVATE);
	}
	other[5] = 7;
	fill(array, (int)(size / sizeof(int)), 1);
	array = mremap(array, size, size / 4, 0);
	size /= 4;
	printf("grown: %ld %d\n", sum(array, (int)(size / sizeof(int))), other[5]);
	munmap(array, size);
	/* The same places again: zeros. */
	array = anonymous(size * 4, MAP_PRIVATE);
	moved = anonymous(size, MAP_PRIVATE);
	moved = mremap(moved, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (char *)array + 2 * size);
	fill(array, (int)(size * 4 / sizeof(int)), 1);
	printf("again: %ld %d\n", sum(array, (int)(size * 4 / sizeof(int))),
	       (char *)moved == (char *)array + 2 * size);
	munmap(array, size * 4);
}

/* Parts of a large reservation are made usable, fenced off, given back and mapped anew. */
static void reserved(void)
{
	size_t size = 1ul << 40;
	char *base =
		mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int *first = (int *)base, *second = (int *)(base + (size / 2));

	mprotect(first, 16 * PAGE, PROT_READ | PROT_WRITE);
	mmap(second, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
	     0);
	fill(first, 16 * 1024, 1);
	fill(second, 16 * 1024, 2);
	munmap((char *)first + PAGE, PAGE);
	mprotect((char *)first + 4 * PAGE, PAGE, PROT_NONE);
	mprotect((char *)first + 6 * PAGE, PAGE, PROT_READ);
#pragma omp parallel for
	for (int i = 0; i < 1024; i++)
		first[2048 + i] = first[6 * 1024 + i];
	mprotect((char *)first + 4 * PAGE, PAGE, PROT_READ | PROT_WRITE);
	printf("reserved: %ld %ld %ld %ld\n", sum(first, 1024), sum(first + 2048, 1024),
	       sum(first + 4096, 4096), sum(second, 16 * 1024));
	mmap(first, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
	     0);
	fill(first, 3072, 5);
	printf("anew: %ld\n", sum(first, 3072));
	munmap(base, size);
}

static int *part[THREADS], *given[THREADS], *grown_part[THREADS];

static void in_regions(void)
{
	int *common = NULL, *reservation, threads = 1;

	reservation = mmap(NULL, THREADS * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#pragma omp parallel
	{
		int me = omp_get_thread_num();

#pragma omp master
		threads = omp_get_num_threads();
#pragma omp single
		{
			common = anonymous(COUNT * sizeof(int), MAP_PRIVATE);
			common[0] = 1000000;
		}
		part[me] = anonymous((size_t)(me + 1) * PAGE, MAP_PRIVATE);
		given[me] = anonymous(2 * PAGE, MAP_PRIVATE);
		given[me][1024] = me;
		mprotect((char *)reservation + (size_t)me * PAGE, PAGE, PROT_READ | PROT_WRITE);
		reservation[me * 1024] = me + 1;
#pragma omp for
		for (int i = 1; i < COUNT; i++)
			common[i] = i;
		/* Others write to what one has mapped. */
		part[(me + 1) % threads][3] = me;
		mremap(given[me], 2 * PAGE, PAGE, 0);
		given[me][0] = 2 * me;
#pragma omp barrier
		/* A place is given back and taken again in one interval, in which nobody else maps
		 * anything: the system could put it there.
		 */
		munmap(part[me], PAGE);
		mmap(part[me], PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		part[me][4] = me * 10;
#pragma omp barrier
		grown_part[me] = mremap(given[me], PAGE, 3 * PAGE, MREMAP_MAYMOVE);
		grown_part[me][2048] = me * 100;
#pragma omp barrier
		reservation[((me + 1) % threads) * 1024 + 1] = part[(me + 1) % threads][4];
	}
	printf("regions: %ld", sum(common, COUNT));
	for (int i = 0; i < threads; i++)
		printf(" %d %d %d %d %d %d", part[i][3], part[i][4], grown_part[i][0],
		       grown_part[i][2048], reservation[i * 1024], reservation[i * 1024 + 1]);
	printf("\n");
	for (int i = 0; i < threads; i++)
		munmap(part[i], (size_t)(i + 1) * PAGE);
	fill(common, COUNT, 1);
	printf("common: %ld\n", sum(common, COUNT));
}

static void under_locks(void)
{
	static int *list[THREADS * 4];
	static int used;
	static char *top;
	long total = 0;

#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < THREADS; i++)
#pragma omp critical
	{
		if (!top)
			top = (char *)anonymous(THREADS * PAGE, MAP_PRIVATE);
		list[used] = (int *)(void *)top;
		top += PAGE;
		list[used++][10] = i;
		list[used] = sbrk(64);
		list[used++][0] = i;
	}
	for (int i = 0; i < used; i++)
		total += list[i][i % 2 ? 0 : 10];
	printf("locks: %d %ld\n", used, total);
}

int main(void)
{
	whole_mappings();
	grown();
	reserved();
	in_regions();
	under_locks();
	return 0;
}
