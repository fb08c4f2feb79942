/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.c - a timer's handler runs while regions lock memory, write to it and unlock it: on a
 * stack that is locked, also at the moment when a page of it is about to be opened.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#define N (16 * 1024)
#include "regions.h"

#define REGIONS 300

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
	for (int region = 0; region < REGIONS; region++)
		wrong += run_region(region);
	puts(wrong ? "wrong" : "all right");
	return wrong;
}
