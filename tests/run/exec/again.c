/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again.c - starts itself anew by exec(), when regions have published something and taken
 * single constructs: the new one's regions go on from there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS 3

static int entered, updated, singles;

static void region(void)
{
#pragma omp parallel
	{
#pragma omp critical
		entered++;
#pragma omp atomic
		updated += 2;
#pragma omp single
		singles++;
#pragma omp single nowait
#pragma omp atomic
		singles++;
	}
}

int main(int count, char **words)
{
	int round = count > 1 ? atoi(words[1]) : 0;
	char next[12];

	for (int i = 0; i <= round; i++)
		region();
	printf("round %d: %d entered, %d, %d singles\n", round, entered, updated, singles);
	fflush(stdout);
	if (round == ROUNDS)
		return 0;
	snprintf(next, sizeof(next), "%d", round + 1);
	execl("/proc/self/exe", words[0], next, (char *)NULL);
	perror("execl");
	return 1;
}
