/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopped.c - a child stops the program and lets it go on, again and again, while regions lock
 * memory, unlock it and change it.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define N (16 * 1024)
#include "regions.h"

#define REGIONS	  400
#define LONG_WAIT 300000 /* times 100 microseconds: then a program that was let go on is stuck */

/* What the child looks at, in memory of both. */
static volatile struct {
	int regions; /* that are over */
	int stuck;   /* times that the program did not go on */
} * seen;

/* The program goes on: it has come to the end of another region, or of all. */
static bool goes_on(int before)
{
	for (int i = 0; i < LONG_WAIT; i++) {
		if (seen->regions != before)
			return true;
		usleep(100);
	}
	return false;
}

/* Ends when it has let the program go on, so that nothing stops that any more. */
static pid_t start_stopping(void)
{
	pid_t program = (pid_t)syscall(SYS_getpid), child = (pid_t)syscall(SYS_fork);

	if (child != 0)
		return child;
	for (int i = 0, before; (before = seen->regions) < REGIONS; i++) {
		kill(program, SIGSTOP);
		/* From at once on, that SIGCONT comes before the stop has taken place, or after. */
		for (volatile int wait = i % 16 * 500; wait > 0; wait--)
			;
		kill(program, SIGCONT);
		if (!goes_on(before)) {
			seen->stuck++;
			kill(program, SIGCONT);
		}
		usleep((unsigned)i % 7 * 100);
	}
	_exit(0);
}

int main(void)
{
	pid_t child;
	int wrong = 0;

	/* The C library's mmap() makes it the node's own. */
	seen = (void *)syscall(SYS_mmap, NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED)
		return 2;
	child = start_stopping();
	for (int region = 0; region < REGIONS; region++) {
		wrong += run_region(region);
		seen->regions++;
	}
	syscall(SYS_wait4, child, NULL, 0, NULL);
	if (seen->stuck)
		printf("it stayed stopped %d times\n", seen->stuck);
	else
		puts(wrong ? "wrong" : "all right");
	return wrong || seen->stuck;
}
