// SPDX-License-Identifier: GPL-2.0-or-later
/* until.c - computes until the file that argv[1] names is there, and ends at once. */
#include <unistd.h>

int main(int argc, char **argv)
{
	long sum = 0;

	for (int step = 0; argc == 2 && access(argv[1], F_OK) < 0; step++) {
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 1000; i++)
			sum += i ^ step;
	}
	return sum < 0;
}
