/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopped.c - a child stops the program and lets it go on, again and again, while regions lock
 * memory, unlock it and change it.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define N	(64 * 1024)
#define REGIONS 40
#define STOPS	400

static int data[N];
static volatile int *over; /* what the child looks at, in memory of both */

/* Ends when it has let the program go on, so that nothing stops that any more. */
static pid_t start_stopping(void)
{
	pid_t program = (pid_t)syscall(SYS_getpid), child = (pid_t)syscall(SYS_fork);

	if (child != 0)
		return child;
	for (int i = 0; i < STOPS && !*over; i++) {
		kill(program, SIGSTOP);
		usleep(200);
		kill(program, SIGCONT);
		usleep(1000);
	}
	_exit(0);
}

int main(void)
{
	pid_t child;
	int wrong = 0;

	over = mmap(NULL, sizeof(*over), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (over == MAP_FAILED)
		return 2;
	child = start_stopping();
	for (int region = 0; region < REGIONS; region++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			data[i] += i % 7 + region;
		for (int i = 0; i < N; i += 1000)
			wrong += data[i] != (region + 1) * (i % 7) + region * (region + 1) / 2;
	}
	*over = 1;
	syscall(SYS_wait4, child, NULL, 0, NULL);
	puts(wrong ? "wrong" : "all right");
	return wrong;
}
