/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read.c - reads standard input to its end, or so many bytes of it; prints how many, and a sum.
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	long most = argc > 1 ? atol(argv[1]) : -1, count = 0;
	unsigned sum = 0;
	int byte;

	while (count != most && (byte = getchar()) != EOF) {
		sum = sum * 31 + (unsigned)byte;
		count++;
	}
	printf("%ld bytes, sum %u\n", count, sum);
	return 0;
}
