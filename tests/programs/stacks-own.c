/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks-own.c - stacks that the program has made: what lies below them stays as it is. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define BELOW (1 << 20)
#define STACK (1 << 16)

static ucontext_t back, routine;
static char below_handler[BELOW], handlers[STACK] __attribute__((aligned(16)));

static long wrong_in(const char *memory)
{
	long wrong = 0;

#pragma omp parallel for reduction(+ : wrong)
	for (int i = 0; i < BELOW; i++)
		wrong += memory[i] != 7;
	return wrong;
}

static void ask(void)
{
	if (time(NULL) < 1 || access("/", F_OK) != 0)
		exit(1);
	swapcontext(&routine, &back);
}

static void in_routine(void)
{
	char *memory = malloc(BELOW + STACK);

	memset(memory, 7, BELOW);
	getcontext(&routine);
	routine.uc_stack.ss_sp = memory + BELOW;
	routine.uc_stack.ss_size = STACK;
	makecontext(&routine, ask, 0);
	swapcontext(&back, &routine);
	printf("%ld ", wrong_in(memory));
	free(memory);
}

static void handle(int number)
{
	if (time(NULL) < number)
		exit(1);
}

static void in_handler(void)
{
	stack_t stack = {.ss_sp = handlers, .ss_size = sizeof(handlers)};
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};

	memset(below_handler, 7, BELOW);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	printf("%ld ", wrong_in(below_handler));
}

static pthread_barrier_t both, after;

static void *keep(void *wrong)
{
	char memory[BELOW / 2];

	memset(memory, 7, sizeof(memory));
	pthread_barrier_wait(&both);
	pthread_barrier_wait(&after);
	for (size_t i = 0; i < sizeof(memory); i++)
		*(long *)wrong += ((volatile char *)memory)[i] != 7;
	return NULL;
}

static void *log_one(void *unused)
{
	pthread_barrier_wait(&both);
	syslog(LOG_DEBUG, "of a thread");
	pthread_barrier_wait(&after);
	return unused;
}

/* The stack of the second may well lie right below that of the first. */
static void in_thread(void)
{
	pthread_t first, second;
	long wrong = 0;

	pthread_barrier_init(&both, NULL, 2);
	pthread_barrier_init(&after, NULL, 2);
	pthread_create(&first, NULL, log_one, NULL);
	pthread_create(&second, NULL, keep, &wrong);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("%ld wrong\n", wrong);
}

int main(void)
{
	in_routine();
	in_handler();
	in_thread();
	return 0;
}
