/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop-pointer.c - loops over pointers: up, down, in steps, to structures, to rows. */
#include <stddef.h>
#include <stdio.h>

struct point {
	short x, y;
	char tag[3];
};

static int numbers[100];
static struct point points[37];
static double table[9][5];

int main(void)
{
	int *end = numbers + 100, *last = NULL;
	struct point *p;
	long sum = 0;
	char text[] = "pointers are loop variables too";

#pragma omp parallel for
	for (int *n = numbers; n < end; n++)
		*n = (int)(n - numbers) * 3;
#pragma omp parallel for lastprivate(last)
	for (int *n = numbers; n < end; n += 7) {
		*n += 1000;
		last = n;
	}
	printf("last %td\n", last - numbers);
#pragma omp parallel for reduction(+ : sum)
	for (int *n = end - 1; n >= numbers; n -= 3)
		sum += *n;
	printf("sum %ld\n", sum);
#pragma omp parallel for private(p)
	for (p = points; p < points + 37; p++) {
		p->x = (short)(p - points);
		p->y = (short)-p->x;
		p->tag[p->x % 3] = (char)('a' + p->x % 26);
	}
	for (int i = 0; i < 37; i += 9)
		printf("%d %d %d%d%d\n", points[i].x, points[i].y, points[i].tag[0],
		       points[i].tag[1], points[i].tag[2]);
#pragma omp parallel for
	for (double(*row)[5] = table; row != table + 9; ++row)
		for (int i = 0; i < 5; i++)
			(*row)[i] = (double)(row - table) + i / 8.0;
	printf("%.3f %.3f\n", table[3][4], table[8][1]);
#pragma omp parallel for schedule(static, 2)
	for (char *c = text; c <= text + sizeof(text) - 2; c++)
		*c = (char)(*c == ' ' ? '_' : *c - 'a' + 'A');
	puts(text);
#pragma omp parallel for
	for (const char *c = text + 4; c > text; c -= 2)
		numbers[c - text] = -*c;
	printf("%d %d %d %d\n", numbers[1], numbers[2], numbers[3], numbers[4]);
	return 0;
}
