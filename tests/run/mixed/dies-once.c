// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dies-once.c - each thread counts for itself; a thread of the second node kills its process, but
 * not a second time.
 *
 * Usage: dies-once MARK SAVE: where there is no file MARK, it is made before the death, and the run
 * waits for the file SAVE before that.
 */
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define STEPS 60
#define DEATH 40

static int own;
static double table[1000];
#pragma omp threadprivate(own)

static void die_once(const char *mark)
{
	if (open(mark, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
		raise(SIGKILL);
}

int main(int argc, char **argv)
{
	double sum = 0;

	if (argc < 3)
		return 2;
	for (int step = 0; step < STEPS; step++) {
#pragma omp parallel
		{
			own += omp_get_thread_num() + 1;
			if (step == DEATH && omp_get_thread_num() == 3)
				die_once(argv[1]);
#pragma omp for
			for (int i = 0; i < 1000; i++)
				table[i] += i * step;
		}
		while (step == DEATH / 2 && access(argv[2], F_OK) < 0)
			usleep(10000);
	}
#pragma omp parallel reduction(+ : sum)
	sum += own * (omp_get_thread_num() + 1);
	printf("%.0f %.0f\n", sum, table[999]);
	return 0;
}
