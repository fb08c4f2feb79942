/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls bump() of another file from a region. */
#include <stdio.h>

int bumped(void);
void bump(int i);

int main(void)
{
	int i;

#pragma omp parallel for
	for (i = 0; i < 100; i++)
		bump(i);
	printf("%d\n", bumped());
	return 0;
}
