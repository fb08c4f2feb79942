/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * death.c - dies in the way of the first argument: in the thread of the second, in a region, or in
 * sequential code behind one without a second.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE (64 << 20)

static volatile int zero;
static int *volatile nowhere;
static int *volatile hidden = (int *)0x100000;

__attribute__((noinline)) static int take(int size)
{
	volatile char large[LARGE];

	large[size] = 1;
	return large[size / 2];
}

__attribute__((noinline)) static int descend(int depth)
{
	volatile char room[256];

	room[depth % 256] = (char)depth;
	return depth ? descend(depth + 1) + room[7] : 0;
}

__attribute__((noinline)) static int print(int depth)
{
	char text[256];

	snprintf(text, sizeof(text), "%d %g", depth, depth / 3.0);
	return depth ? print(depth + 1) + text[0] : 0;
}

__attribute__((noinline)) static void end(const char *way)
{
	if (strcmp(way, "write") == 0)
		*hidden = 3;
	else if (strcmp(way, "divide") == 0)
		zero = 5 / zero;
	else if (strcmp(way, "large") == 0)
		zero = take(5);
	else if (strcmp(way, "deep") == 0)
		zero = descend(1);
	else if (strcmp(way, "print") == 0)
		zero = print(1);
	else if (strcmp(way, "raise") == 0)
		raise(SIGBUS);
	else if (strcmp(way, "abort") == 0)
		abort();
	else if (strcmp(way, "kill") == 0)
		kill(getpid(), SIGKILL);
	else if (strcmp(way, "terminate") == 0)
		kill(getpid(), SIGTERM);
	else if (strcmp(way, "library") == 0)
		memset(nowhere, 1, 100);
}

/* -- what a program sees of handlers ---------------------------------------------------------- */

static sigjmp_buf back;

static void on_fault(int number, siginfo_t *information, void *context)
{
	(void)number;
	(void)context;
	if (information->si_addr != hidden)
		_exit(9);
	siglongjmp(back, 1);
}

/* Whether handlers are the default's, and there is no stack for them. */
static int looks_untouched(void)
{
	static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	struct sigaction action;
	stack_t stack;
	int untouched = sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_DISABLE);

	for (int i = 0; i < 5; i++)
		untouched &= sigaction(numbers[i], NULL, &action) == 0 &&
			     action.sa_handler == SIG_DFL && !action.sa_flags;
	return untouched;
}

static int look(void)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK}, old;
	int untouched = looks_untouched(), caught = 0, threads = 0;

#pragma omp parallel reduction(+ : untouched, threads)
	{
		untouched += looks_untouched();
		threads++;
	}
	action.sa_sigaction = on_fault;
	sigaction(SIGSEGV, &action, &old);
	untouched += old.sa_handler == SIG_DFL && !(old.sa_flags & SA_SIGINFO);
	untouched += signal(SIGFPE, SIG_IGN) == SIG_DFL;
	if (!sigsetjmp(back, 1))
		*hidden = 1;
	else
		caught = 1;
	sigaction(SIGSEGV, NULL, &old);
	caught += old.sa_sigaction == on_fault;
	printf("%d %d\n", untouched == threads + 3, caught);
	return 0;
}

static void on_talk(int number)
{
	_exit(number == SIGUSR1 ? 3 : 4);
}

/* Says which process it is, and waits for a signal. */
static int talk(void)
{
	signal(SIGUSR1, on_talk);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	int sum = 0, thread = argc > 2 ? atoi(argv[2]) : -1;

	if (strcmp(argv[1], "look") == 0)
		return look();
	if (strcmp(argv[1], "talk") == 0)
		return talk();
	if (strcmp(argv[1], "environment") == 0) {
		int open = 0;

		for (int i = 1000; i < 2000; i++)
			open += fcntl(i, F_GETFD) >= 0;
		printf("%d %d\n", getenv("CAPE_DEATH") != NULL, open);
		return 0;
	}
	if (strcmp(argv[1], "close") == 0) {
		/* Opened when the reader has come to the end of what is printed. */
		fclose(stdout);
		return !fopen(argv[2], "r");
	}
	if (strcmp(argv[1], "early") == 0)
		*hidden = 2;
	if (strcmp(argv[1], "kernel") == 0)
		*(volatile int *)0x4141414141414141 = 1;
#pragma omp parallel for reduction(+ : sum) /* the first region */
	for (int i = 0; i < 10; i++)
		sum += i;
	if (strcmp(argv[1], "child") == 0) {
		int status = 0;

		if (fork() == 0)
			*hidden = 4;
		wait(&status);
		printf("%d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
		return 0;
	}
	if (thread < 0)
		end(argv[1]);
#pragma omp parallel /* the region */
	{
		if (omp_get_thread_num() == thread || thread == 99)
			end(argv[1]);
#pragma omp barrier
	}
	printf("%d\n", sum);
	return 0;
}
