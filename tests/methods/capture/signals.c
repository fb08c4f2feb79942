/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.c - a timer's handler runs while regions lock memory, write to it and unlock it: on a
 * stack that is locked, also at the moment when a page of it is about to be opened.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#define N	(16 * 1024)
#define REGIONS 300

static int data[N];

static void handle(int signal)
{
	(void)signal;
}

static int start_timer(void)
{
	struct itimerval often = {{0, 3000}, {0, 3000}};
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handle;
	action.sa_flags = SA_RESTART;
	return sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL);
}

int main(void)
{
	int wrong = 0;

	if (start_timer())
		return 2;
	for (int region = 0; region < REGIONS; region++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			data[i] += i % 7 + region;
		for (int i = 0; i < N; i += 1000)
			wrong += data[i] != (region + 1) * (i % 7) + region * (region + 1) / 2;
	}
	puts(wrong ? "wrong" : "all right");
	return wrong;
}
