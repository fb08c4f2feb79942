/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.c - fork() in a task that a thread runs while it waits for the values of a single
 * construct: the child goes on behind it alone; and a long chain of tasks of which each makes the
 * next.
 *
 * Prints the child's exit status, and whether the chain left memory behind.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHAIN 300000

/* Whoever waits for the single's values may run the task. */
static int fork_in_barrier(void)
{
	pid_t top = getpid();
	int status = -1;

#pragma omp parallel num_threads(2)
	{
		int value = -1;

#pragma omp single copyprivate(value)
		{
#pragma omp task shared(status)
			{
				pid_t child = fork();

				if (child)
					waitpid(child, &status, 0);
				else
					alarm(20);
			}
			usleep(100000);
			value = 1;
		}
		if (getpid() != top)
			_exit(3);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void step(int left)
{
	if (left) {
#pragma omp task firstprivate(left)
		step(left - 1);
	}
}

/* Those that are over leave nothing behind. */
static int is_small_after_chain(void)
{
	struct rusage usage;
	long before;

	getrusage(RUSAGE_SELF, &usage);
	before = usage.ru_maxrss;
#pragma omp parallel num_threads(2)
#pragma omp single
	step(CHAIN);
	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss - before < 32 * 1024;
}

int main(void)
{
	int child = fork_in_barrier();

	printf("%d %d\n", child, is_small_after_chain());
	return 0;
}
