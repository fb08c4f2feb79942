/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faults.c - segmentation faults that are the program's own, while its memory is locked.
 *
 * Usage: faults null|constant|unmapped|protected|sequential|ignored    the last thread dies
 *        faults handled                                      all catch theirs and go on
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <omp.h>

#define PAGE	4096
#define THREADS 4
#define ROUNDS	20

static const char constant[PAGE] = "constant";
static char data[THREADS][ROUNDS][PAGE] __attribute__((aligned(PAGE)));
static char stacks[THREADS][1 << 16];
static int caught[THREADS], opened[THREADS], signals[THREADS];

static __thread sigjmp_buf back;
static __thread char *guarded;

static void store(const void *at)
{
	*(volatile char *)at = 1;
}

static char *map_page(int protection)
{
	char *page = mmap(NULL, PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? NULL : page;
}

static void die(const char *how)
{
	char *unmapped = map_page(PROT_NONE);

	if (strcmp(how, "constant") == 0)
		store(constant);
	else if (strcmp(how, "protected") == 0)
		store(map_page(PROT_READ));
	else if (strcmp(how, "unmapped") == 0 && munmap(unmapped, PAGE) == 0)
		store(unmapped);
	store(NULL);
}

/* As garbage collectors do: what was protected is opened at the first write. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	int me = omp_get_thread_num();

	(void)context;
	signals[me] += number == SIGSEGV;
	if (guarded && info->si_addr == guarded) {
		opened[me]++;
		mprotect(guarded, PAGE, PROT_READ | PROT_WRITE);
		return;
	}
	siglongjmp(back, 1);
}

static void catch_faults(int me)
{
	stack_t stack = {.ss_sp = stacks[me], .ss_size = sizeof(stacks[me])};

	sigaltstack(&stack, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		if (sigsetjmp(back, 1) == 0)
			store(i % 2 ? (const void *)constant : (const void *)(16L * i));
		else
			caught[me]++;
		guarded = map_page(PROT_READ);
		guarded[0] = 7;
		data[me][i][0] = guarded[0];
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	int handled = strcmp(how, "handled") == 0, bad = 0, threads = 0;

	if (handled)
		sigaction(SIGSEGV, &action, NULL);
	if (strcmp(how, "ignored") == 0)
		signal(SIGSEGV, SIG_IGN);
#pragma omp parallel num_threads(THREADS)
	{
		int me = omp_get_thread_num();

#pragma omp single
		threads = omp_get_num_threads();
		data[me][0][0] = 1;
		if (handled)
			catch_faults(me);
		else if (me == threads - 1 && strcmp(how, "sequential") != 0)
			die(how);
	}
	if (!handled)
		die(how);
	for (int thread = 0; thread < threads; thread++) {
		bad |= caught[thread] != ROUNDS || opened[thread] != ROUNDS ||
		       signals[thread] != 2 * ROUNDS;
		for (int i = 0; i < ROUNDS; i++)
			bad |= data[thread][i][0] != 7;
	}
	printf(bad ? "bad\n" : "all right\n");
	return bad;
}
