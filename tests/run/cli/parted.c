/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parted.c - one node ends where the others go on to a region: it alone could make the folder that
 * the argument names.
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int nodes = 0;

	if (argc > 1 && syscall(SYS_mkdir, argv[1], 0700) == 0)
		return 5;
	for (int i = 0; i < 3; i++) {
#pragma omp parallel reduction(+ : nodes)
		nodes++;
	}
	printf("%d\n", nodes);
	return 0;
}
