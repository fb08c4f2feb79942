// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * services.c - regions whose cost is known, for tests/threads/services.t.
 *
 * Usage: services [WHAT [THREAD]]; WHAT is what a thread does in the last region: exit, fault,
 * fork.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MILLISECONDS 1000

static void take_part(const char *what)
{
	pid_t child;
	int status = -1;

	if (strcmp(what, "exit") == 0)
		exit(5);
	if (strcmp(what, "fault") == 0)
		*(volatile int *)16 = 1;
	if (strcmp(what, "fork") == 0) {
		child = fork();
		if (child == 0) {
			int count = 0;

#pragma omp parallel reduction(+ : count)
			count++;
			_exit(count);
		}
		waitpid(child, &status, 0);
		printf("the child's team: %d\n", WEXITSTATUS(status));
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int thread = argc > 2 ? atoi(argv[2]) : 0;
	double sum = 0;
	omp_lock_t lock;

	omp_init_lock(&lock);
	for (int times = 0; times < 3; times++) {
#pragma omp parallel for schedule(static, 1) num_threads(2) reduction(+ : sum) /* at uneven */
		for (int i = 0; i < 2; i++) {
			usleep(i ? 60 * MILLISECONDS : 0);
			sum += i;
		}
	}
	usleep(50 * MILLISECONDS);
#pragma omp parallel num_threads(2) /* at region */
	{
#pragma omp for schedule(static, 1) /* at loop */
		for (int i = 0; i < 2; i++)
			usleep(i ? 40 * MILLISECONDS : 0);
		usleep(omp_get_thread_num() ? 0 : 70 * MILLISECONDS);
#pragma omp barrier  /* at barrier */
#pragma omp critical /* at critical */
		usleep(80 * MILLISECONDS);
#pragma omp barrier
#pragma omp for schedule(static, 1) ordered /* at turns */
		for (int i = 0; i < 2; i++) {
#pragma omp ordered /* at ordered */
			usleep(50 * MILLISECONDS);
		}
	}
#pragma omp parallel num_threads(2) /* at lock */
	{
		omp_set_lock(&lock);
		usleep(100 * MILLISECONDS);
		omp_unset_lock(&lock);
	}
#pragma omp parallel /* at last */
	{
#pragma omp barrier
		if (omp_get_thread_num() == thread)
			take_part(what);
	}
	printf("%g by %d\n", sum, omp_get_max_threads());
	return 0;
}
