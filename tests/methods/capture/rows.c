/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.c - pages that are written in rows, with gaps between them: the monitor captures ahead, and
 * must give back what was not written after all.
 *
 * Argument: pages of a row, at most 64.  Rows begin in memory that exists, then in memory that does
 * not.
 */
#include <stdio.h>
#include <stdlib.h>

#define PAGE 4096ul
#define ROW  64ul
#define ROWS 16ul

static unsigned char existing[(ROWS * ROW + 1) * PAGE], fresh[(ROWS * ROW + 1) * PAGE];

static void write_rows(unsigned char *memory, unsigned long pages)
{
	unsigned char *first = (unsigned char *)(((unsigned long)memory + PAGE - 1) & -PAGE);

	for (unsigned long row = 0; row < ROWS; row++)
		for (unsigned long page = 0; page < pages; page++)
			first[(row * ROW + page) * PAGE + row]++;
}

int main(int argc, char **argv)
{
	unsigned long pages = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	for (unsigned long i = 0; i < sizeof(existing); i++)
		existing[i] = 1;
#pragma omp parallel
	{
		write_rows(existing, pages);
		write_rows(fresh, pages);
	}
	puts("all right");
	return 0;
}
