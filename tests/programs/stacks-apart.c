/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks-apart.c - regions' blocks that do with their stack whatever C can: large arrays that stay
 * behind in a slot where shared variables come to lie, recursion, alloca(), jumps, coroutines,
 * handlers on a stack of their own, regions inside, a process that is made there.
 */
#include <alloca.h>
#include <omp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define N     1000
#define LARGE 300000
#define STACK 65536

static void fill(int *array, int count, int value)
{
	for (int i = 0; i < count; i++)
		array[i] = value;
}

/* A node that writes what happens to be there already sends no change. */
static long left_behind(void)
{
	long total = 0;
	int large[LARGE];

	fill(large, LARGE, 1);
	{
#pragma omp parallel
		{int own[LARGE];

	fill(own, LARGE, omp_get_thread_num());
#pragma omp atomic
	total += own[5] * 0;
}
}
{
	int shared[N];

#pragma omp parallel for
	for (int i = 0; i < N; i++)
		shared[i] = 0;
#pragma omp parallel for reduction(+ : total)
	for (int i = 0; i < N; i++)
		total += shared[N - 1 - i];
}
return total + large[7];
}

static long deep(long depth)
{
	volatile char room[4096];

	memset((void *)room, (int)depth, sizeof(room));
	return depth ? deep(depth - 1) + (room[depth] == (char)depth) : 0;
}

static jmp_buf way;
#pragma omp threadprivate(way)

static void leave(int depth)
{
	if (depth)
		leave(depth - 1);
	longjmp(way, 7);
}

static ucontext_t back, routine;
static long counted;
#pragma omp threadprivate(back, routine, counted)

static void count(void)
{
	for (int i = 0; i < 3; i++) {
		counted++;
		swapcontext(&routine, &back);
	}
}

static long routines(void)
{
	char *stack = malloc(STACK);

	counted = 0;
	getcontext(&routine);
	routine.uc_stack.ss_sp = stack;
	routine.uc_stack.ss_size = STACK;
	routine.uc_link = &back;
	makecontext(&routine, count, 0);
	for (int i = 0; i < 3; i++)
		swapcontext(&back, &routine);
	free(stack);
	return counted;
}

static volatile sig_atomic_t handled;
#pragma omp threadprivate(handled)

static void handle(int number)
{
	char own[1000];

	memset(own, number, sizeof(own));
	handled = handled + own[999];
}

static long handlers(void)
{
	stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK}, none = {.ss_flags = SS_DISABLE};

	handled = 0;
	pthread_kill(pthread_self(), SIGUSR1);
	sigaltstack(&stack, NULL);
	pthread_kill(pthread_self(), SIGUSR2);
	sigaltstack(&none, NULL);
	free(stack.ss_sp);
	return handled == SIGUSR1 + SIGUSR2;
}

static long inside(long start)
{
	long sum = start;

#pragma omp parallel for reduction(+ : sum) num_threads(2)
	for (int i = 0; i < 10; i++)
		sum += i;
	return sum;
}

static long process(long value)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit((int)(inside(value) % 100));
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(void)
{
	struct sigaction action = {.sa_handler = handle}, other = action;
	long sum[8] = {0};
	int large = 5;

	other.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &other, NULL);
	for (int i = 0; i < 3; i++)
		printf("%ld ", left_behind());
#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < 8; i++) {
		int length = N * (i + 1);
		int array[length], *more = alloca((size_t)length * sizeof(int));
		volatile long value = 0;

		fill(array, length, i);
		fill(more, length, i + 1);
		value = array[length - 1] + more[length - 1];
		if (setjmp(way) == 0)
			leave(20);
		value += 1000 * (deep(100) + routines() + handlers());
		value += inside(i) + process(i);
		if (i == 3)
			large = array[0];
		sum[i] = value;
	}
	for (int i = 0; i < 8; i++)
		printf("%ld ", sum[i]);
	printf("%d\n", large);
	return 0;
}
