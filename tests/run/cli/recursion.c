/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recursion.c - a recursion without an end, in a region; it ends where it has so many megabytes. */
#include <stdio.h>
#include <stdlib.h>

static long much;

static long deeper(long levels)
{
	volatile char frame[1 << 20];

	for (size_t i = 0; i < sizeof(frame); i += 4096)
		frame[i] = 1;
	return levels ? deeper(levels - 1) + frame[0] : 0;
}

int main(int argc, char **argv)
{
	long levels = argc > 1 ? atol(argv[1]) : 1 << 30, done[2] = {0};

#pragma omp parallel for
	for (int i = 0; i < 2; i++)
		if (i == 1)
			done[i] = deeper(levels);
	much = done[1];
	printf("%ld megabytes of stack\n", much);
	return 0;
}
