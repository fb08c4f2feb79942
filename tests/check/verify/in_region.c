/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sequential code between two regions makes the heap differ; the first region is still right. */
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

static void fill(unsigned long *list, int count)
{
#pragma omp parallel for
	for (int i = 0; i < count; i++)
		list[i] = (unsigned long)i;
}

int main(void)
{
	unsigned long *list = malloc(1000 * sizeof(*list));

	fill(list, 1000);
	puts("first region done");
	fflush(stdout);
	list[500] = __rdtsc();
	fill(list, 400);
	printf("second region done: %lu\n", list[500]);
	free(list);
	return 0;
}
