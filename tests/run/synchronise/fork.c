/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Children of fork() that execute nothing else: constructs, memory, the heap; a pipe back. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int sums[3];

static int sum_up(int n)
{
	int sum = 0, i;

#pragma omp parallel for reduction(+ : sum)
	for (i = 0; i <= n; i++)
		sum += i;
	return sum;
}

int main(void)
{
	int side[2], got[3] = {0}, round, status, ended = 0;

	sums[0] = sum_up(10);
	for (round = 0; round < 3; round++) {
		if (pipe(side))
			return 1;
		fflush(stdout);
		if (fork() == 0) {
			int *heap = malloc(sizeof *heap);

			*heap = sum_up(100 + round) + (time(NULL) == 0);
			sums[round] = -1;
#pragma omp parallel
#pragma omp critical
			sums[1]++;
			printf("child %d: %d\n", round, *heap);
			fflush(stdout);
			if (write(side[1], heap, sizeof *heap) < 0)
				_exit(1);
			if (round == 1)
				exit(7);
			_exit(7);
		}
		close(side[1]);
		if (read(side[0], &got[round], sizeof(int)) < 0)
			return 1;
		close(side[0]);
		if (wait(&status) > 0 && WIFEXITED(status))
			ended += WEXITSTATUS(status);
		sums[round] += sum_up(20);
	}
	printf("%d %d %d, %d %d %d, %d\n", got[0], got[1], got[2], sums[0], sums[1], sums[2],
	       ended);
	return 0;
}
