// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * changes.c - nodes change words, neighbouring bytes, a value that all of them write, a reduction;
 * with an argument, a folder, it becomes a file between two regions.
 */
#include <stdio.h>
#include <stdlib.h>

#define WORDS 12

#ifndef FACTOR
#define FACTOR 1
#endif

int word[WORDS];
unsigned char byte[WORDS];
int same;
long sum;

static void region(int factor)
{
	int i;

#pragma omp parallel for reduction(+ : sum)
	for (i = 0; i < WORDS; i++) {
		word[i] = 0x01010101 * factor * (i + 1);
		byte[i] = (unsigned char)(factor * (i + 1));
		same = 0x01010101 * factor * (i + 1);
		sum += i;
	}
}

int main(int argc, char **argv)
{
	char command[1024];
	int i;

	for (i = 0; i < WORDS; i++)
		word[i] = -1;
	same = -1;
	region(FACTOR);
	if (argc > 1) {
		snprintf(command, sizeof(command), "rm -r '%s' && touch '%s'", argv[1], argv[1]);
		if (system(command))
			return 1;
	}
	for (i = 0; i < WORDS; i++)
		printf("word[%d]  %d\n", i, word[i]);
	for (i = 0; i < WORDS; i++)
		printf("byte[%d]  %d\n", i, byte[i]);
	printf("same  %d\n", same);
	region(2);
	return 0;
}
