/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member.c - part of a struct in an array of two dimensions. */
#include <stdio.h>

struct part {
	int x;
	double m;
	short v[3];
};

static struct part parts[4][10];

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 100; i++)
		parts[2][3].v[1] += i;
	printf("%d\n", parts[2][3].v[1]);
	return 0;
}
