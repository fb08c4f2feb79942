/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopped.c - a child stops the program and lets it go on, again and again, while regions lock
 * memory, unlock it and change it.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define N	(64 * 1024)
#define REGIONS 40
#define STOPS	400

static int data[N];

static pid_t start_stopping(void)
{
	pid_t program = (pid_t)syscall(SYS_getpid), child = (pid_t)syscall(SYS_fork);

	if (child != 0)
		return child;
	for (int i = 0; i < STOPS; i++) {
		kill(program, SIGSTOP);
		usleep(200);
		kill(program, SIGCONT);
		usleep(1000);
	}
	_exit(0);
}

int main(void)
{
	pid_t child = start_stopping();
	int wrong = 0;

	for (int region = 0; region < REGIONS; region++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			data[i] += i % 7 + region;
		for (int i = 0; i < N; i += 1000)
			wrong += data[i] != (region + 1) * (i % 7) + region * (region + 1) / 2;
	}
	syscall(SYS_kill, child, SIGKILL);
	kill((pid_t)syscall(SYS_getpid), SIGCONT);
	syscall(SYS_wait4, child, NULL, 0, NULL);
	puts(wrong ? "wrong" : "all right");
	return wrong;
}
