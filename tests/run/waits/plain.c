/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain.c - a node looks at an object that is not volatile, in a function of its own, until a
 * signal sets it, after longer than CAPE waits with telling; with an argument it computes
 * meanwhile.
 */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define SECONDS 22

static int ready;

static void set_ready(int signal)
{
	ready = signal;
}

__attribute__((noinline, noclone)) static int is_ready(const int *flag)
{
	__asm__ volatile("" ::: "memory");
	return *flag != 0;
}

static unsigned long compute(void)
{
	unsigned long x = 1;

	while (!is_ready(&ready))
		x = x * 6364136223846793005ul + 1442695040888963407ul;
	return x | 1;
}

int main(int argc, char **argv)
{
	unsigned long x = 1;

	(void)argv;
	signal(SIGALRM, set_ready);
#pragma omp parallel reduction(max : x)
	if (omp_get_thread_num() == 1) {
		alarm(SECONDS);
		if (argc > 1)
			x = compute();
		while (!is_ready(&ready))
			;
	}
	printf("%s\n", x > 0 ? "done" : "");
	return 0;
}
