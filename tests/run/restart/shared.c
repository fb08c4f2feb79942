// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shared.c - writes to one file by two descriptors that have one place, and looks at the clock.
 *
 * Usage: shared FILE [NUMBER]: of a third descriptor
 */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double before;

int main(int argc, char **argv)
{
	int one = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644), other = dup(one);
	int sum = 0;

	if (argc > 2 && dup2(one, atoi(argv[2])) < 0)
		return 1;
	for (int s = 0; s < 4; s++) {
		double now;

#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 100; i++)
			sum += i;
		now = omp_get_wtime();
		printf("%d: the clock goes %s\n", s, now < before ? "back" : "on");
		before = now;
		if (write(one, "one ", 4) != 4 || write(other, "other ", 6) != 6)
			return 1;
		fflush(stdout);
		usleep(150000);
	}
	return 0;
}
