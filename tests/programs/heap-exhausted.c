/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heap-exhausted.c - too much memory is NULL and ENOMEM, in sequential and in parallel code. */
#include <errno.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What each call says of a size that nobody has; the block that exists stays. */
static int refused(size_t huge)
{
	char *kept = malloc(100), *moved;
	void *block = NULL;
	volatile size_t many = SIZE_MAX / 2;
	int right = 0;

	kept[99] = 'k';
	errno = 0;
	block = malloc(huge);
	right += !block && errno == ENOMEM;
	errno = 0;
	block = calloc(many, 16);
	right += !block && errno == ENOMEM;
	errno = 0;
	moved = realloc(kept, huge);
	right += !moved && errno == ENOMEM && kept[99] == 'k';
	errno = 0;
	block = aligned_alloc(64, huge & ~(size_t)63);
	right += !block && errno == ENOMEM;
	right += posix_memalign(&block, 64, huge) == ENOMEM;
	free(kept);
	return right;
}

int main(void)
{
	int threads = omp_get_max_threads(), right = 0;
	volatile size_t huge = (size_t)1 << 60, nearly = SIZE_MAX - 100;
	void *after;

	printf("%d %d\n", refused(huge), refused(nearly));
#pragma omp parallel reduction(+ : right)
	{
		right += refused(huge);
#pragma omp critical
		right += refused(nearly);
	}
	printf("%d\n", right == 10 * threads);
	after = malloc(1 << 20);
	printf("%d\n", after != NULL);
	free(after);
	return 0;
}
