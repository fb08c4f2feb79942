/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-signals.c - memory of which each thread has just written a part is read by handlers, and
 * with signals blocked; and the program handles SIGSEGV itself.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <unistd.h>

#define SIZE (5 * 64 * 1024 / sizeof(long))

static long still[SIZE];
static long *heap, *array;
static volatile long seen;
static sigjmp_buf back;
static volatile long handled;

static void fill(long seed)
{
#pragma omp parallel for
	for (size_t i = 0; i < SIZE; i++)
		array[i] = (long)i * 1001 + seed;
}

static long sum(void)
{
	long total = 0;

	for (size_t i = 0; i < SIZE; i++)
		total = total * 3 + array[i];
	return total;
}

static void look(int number)
{
	seen = sum() + number;
}

static void leave(int number, siginfo_t *information, void *context)
{
	(void)context;
	handled += number == SIGSEGV && information->si_addr == NULL;
	siglongjmp(back, 1);
}

static void install(int number, void (*function)(int), int flags)
{
	struct sigaction action = {.sa_handler = function, .sa_flags = flags}, now;

	sigfillset(&action.sa_mask);
	sigaction(number, &action, NULL);
	sigaction(number, NULL, &now);
	printf("handler %d: %d, masks SIGSEGV: %d\n", number, now.sa_handler == function,
	       sigismember(&now.sa_mask, SIGSEGV));
}

static int is_blocked(int number)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, number);
}

static void blocked(void)
{
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	printf("blocked: %d %d\n", is_blocked(SIGSEGV), is_blocked(SIGUSR1));
	fill(1);
	printf("%ld\n", sum());
	fill(2);
	pthread_sigmask(SIG_UNBLOCK, &all, NULL);
	printf("open: %d %d\n", is_blocked(SIGSEGV), is_blocked(SIGUSR1));
	sigprocmask(SIG_BLOCK, &all, NULL);
	printf("%ld\n", sum());
	sigprocmask(SIG_SETMASK, &before, NULL);
	printf("as before: %d %d\n", is_blocked(SIGSEGV), is_blocked(SIGUSR1));
}

static void in_handlers(void)
{
	sigset_t one, rest;
	struct timespec moment = {0, 1000};

	sigemptyset(&one);
	sigaddset(&one, SIGUSR2);
	sigfillset(&rest);
	sigdelset(&rest, SIGUSR2);
	fill(3);
	raise(SIGUSR1);
	printf("raised: %ld\n", seen);
	sigprocmask(SIG_BLOCK, &one, NULL);
	fill(4);
	raise(SIGUSR2);
	sigsuspend(&rest);
	printf("suspended: %ld\n", seen);
	fill(5);
	raise(SIGUSR2);
	ppoll(NULL, 0, &moment, &rest);
	printf("polled: %ld\n", seen);
	fill(6);
	raise(SIGUSR2);
	pselect(0, NULL, NULL, NULL, &moment, &rest);
	printf("selected: %ld\n", seen);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	fill(7);
	seen = 0;
#pragma omp parallel
	{
#pragma omp master
		raise(SIGUSR1);
	}
	printf("in a region: %ld\n", seen);
}

/* Memory that nobody may use, and memory that others have, both. */
static void own_faults(void)
{
	struct sigaction action = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	struct sigaction old;
	volatile int *volatile nowhere = NULL;
	long inside = 0;
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536}, now;

	sigaltstack(&stack, NULL);
	sigaltstack(NULL, &now);
	printf("stack: %d %zu\n", now.ss_sp == stack.ss_sp, now.ss_size);
	sigaction(SIGSEGV, &action, &old);
	printf("by default: %d\n", old.sa_handler == SIG_DFL);
	for (int i = 0; i < 3; i++) {
		fill(8 + i);
		if (sigsetjmp(back, 1) == 0)
			*nowhere = 1;
		printf("%ld, handled %ld\n", sum(), handled);
	}
	handled = 0;
#pragma omp parallel reduction(+ : inside)
	{
		if (omp_get_thread_num() == 0) {
			if (sigsetjmp(back, 1) == 0)
				*nowhere = 1;
			for (size_t i = 0; i < SIZE; i++)
				inside = inside * 3 + array[i];
			inside += handled;
		}
	}
	printf("in a region: %ld\n", inside);
	action.sa_handler = SIG_IGN;
	action.sa_flags = 0;
	sigaction(SIGSEGV, &action, &old);
	printf("the handler: %d\n", old.sa_sigaction == leave);
	fill(12);
	raise(SIGSEGV);
	printf("ignored: %ld\n", sum());
	signal(SIGSEGV, SIG_DFL);
	fill(13);
	printf("no handler: %ld\n", sum());
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, &now);
	printf("stack: %d\n", now.ss_sp == stack.ss_sp);
	free(stack.ss_sp);
}

int main(void)
{
	heap = malloc(SIZE * sizeof(*heap));
	array = still;
	install(SIGUSR1, look, 0);
	for (int round = 0; round < 2; round++) {
		blocked();
		install(SIGUSR2, look, SA_ONSTACK);
		in_handlers();
		own_faults();
		array = heap;
	}
	free(heap);
	return 0;
}
