/* SPDX-License-Identifier: GPL-2.0-or-later */
/* subword-bytes.c - neighbouring bytes, shorts and odd pieces of one word, by different threads. */
#include <stdio.h>
#include <string.h>

static char bytes[101];
static unsigned short shorts[67];
static _Bool flags[33];
static struct {
	char letter;
	short number;
	char other;
	unsigned char tail[3];
} mixed[9];

int main(void)
{
	char local[70];
	short heap_like[5][3];

	memset(local, '.', sizeof(local));
#pragma omp parallel
	{
#pragma omp for schedule(static, 1) nowait
		for (int i = 0; i < 100; i++)
			bytes[i] = (char)('!' + i % 90);
#pragma omp for schedule(static, 1) nowait
		for (int i = 0; i < 67; i++)
			shorts[i] = (unsigned short)(i * 999);
#pragma omp for schedule(static, 1) nowait
		for (int i = 0; i < 33; i++)
			flags[i] = i % 3 == 0;
#pragma omp for schedule(static, 1) nowait
		for (int i = 0; i < 69; i++)
			local[i] = (char)('a' + i % 26);
#pragma omp for schedule(static, 1) nowait collapse(2)
		for (int i = 0; i < 5; i++)
			for (int j = 0; j < 3; j++)
				heap_like[i][j] = (short)(i * 10 - j);
				/* Different members of one structure, by different threads. */
#pragma omp for schedule(static, 1) collapse(2)
		for (int i = 0; i < 9; i++)
			for (int part = 0; part < 4; part++) {
				if (part == 0)
					mixed[i].letter = (char)('A' + i);
				else if (part == 1)
					mixed[i].number = (short)(i * 100);
				else if (part == 2)
					mixed[i].other = (char)('Z' - i);
				else
					mixed[i].tail[1] = (unsigned char)(200 + i);
			}
	}
	local[69] = 0;
	printf("%s\n%s\n", bytes, local);
	for (int i = 0; i < 67; i++)
		printf("%d%c", shorts[i], i == 66 ? '\n' : ' ');
	for (int i = 0; i < 33; i++)
		putchar('0' + flags[i]);
	for (int i = 0; i < 9; i++)
		printf(" %c%d%c%d%d", mixed[i].letter, mixed[i].number, mixed[i].other,
		       mixed[i].tail[0], mixed[i].tail[1]);
	for (int i = 0; i < 5; i++)
		printf(" %d/%d/%d", heap_like[i][0], heap_like[i][1], heap_like[i][2]);
	putchar('\n');
	/* Changed and changed back, and set to what it was: neither disturbs a neighbour. */
#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < 100; i++) {
		char before = bytes[i];

		bytes[i] = 0;
		bytes[i] = i % 4 == 1 ? '#' : before;
	}
	puts(bytes);
	return 0;
}
