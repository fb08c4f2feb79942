/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own-signals.c - a signal that sequential code blocks waits for it, whatever threads there are;
 * what a thread of a region blocks is its own; what it sets for itself omp_get_max_threads() tells
 * it.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int is_blocked(int number)
{
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, number);
}

int main(void)
{
	struct timespec second = {10, 0}, moment = {0, 20000000};
	int got, before, wrong = 0;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
#pragma omp parallel reduction(+ : wrong)
	wrong += !is_blocked(SIGUSR2);
	kill(getpid(), SIGUSR2);
	nanosleep(&moment, NULL);
	got = sigtimedwait(&set, NULL, &second);
	before = is_blocked(SIGUSR1);
#pragma omp parallel reduction(+ : wrong)
	{
		if (omp_get_thread_num() == omp_get_num_threads() - 1 &&
		    omp_get_num_threads() > 1) {
			sigset_t own;

			sigemptyset(&own);
			sigaddset(&own, SIGUSR1);
			pthread_sigmask(SIG_BLOCK, &own, NULL);
			omp_set_num_threads(1);
			wrong += omp_get_max_threads() != 1;
		}
	}
	printf("%d %d %d %d\n", got == SIGUSR2, before, is_blocked(SIGUSR1), wrong);
	return 0;
}
